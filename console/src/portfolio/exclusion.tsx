import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { TextField } from '../parts/form.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

const W = words.limits;

/** Keeps the user from trading until a time, which can only be moved further away. */
export function Exclusion(): JSX.Element {
  const exclusion = useLoaded('exclusion', (signal) =>
    session.value.client.get('/user/exclusion', { signal }),
  );
  const [until, setUntil] = useState('');
  return (
    <section class="panel">
      <h2>{W.exclusion}</h2>
      <WhenLoaded of={exclusion}>
        {({ since, until: end }) =>
          end === null ? (
            <p>{W.exclusionWhy}</p>
          ) : (
            <p>
              {W.excluded} {W.since} <Moment at={since} />, {W.until} <Moment at={end} />
            </p>
          )
        }
      </WhenLoaded>
      <div class="row">
        <Confirm
          label={W.exclude}
          what={W.excludeWhat}
          fields={['until']}
          work={() =>
            session.value.client.post('/user/exclusion', {
              body: { until: until === '' ? '' : new Date(until).toISOString() },
            })
          }
          onDone={() => {
            setUntil('');
            exclusion.reload();
          }}
        >
          {(action) => (
            <TextField
              label={W.until}
              type="datetime-local"
              value={until}
              onChange={setUntil}
              error={action.errors['until']}
            />
          )}
        </Confirm>
      </div>
    </section>
  );
}
