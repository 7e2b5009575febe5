import type { JSX } from 'preact';
import { useLoaded } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Facts } from '../../parts/facts.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { Moment } from '../../parts/time.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

const W = words.deskKyc;

/** What people are held against. */
export function SanctionsList(): JSX.Element {
  const { client } = session.value;
  const list = useLoaded('sanctions', (signal) => client.get('/admin/sanctions-list', { signal }));
  return (
    <section class="panel">
      <div class="row">
        <h2>{W.sanctions}</h2>
        <Confirm
          label={W.reload}
          what={W.reloadWhat}
          isDangerous={false}
          work={() => client.post('/admin/sanctions-list/reload')}
          onDone={list.reload}
        />
      </div>
      <WhenLoaded of={list}>
        {({ loaded_at: at, version, people, names }) =>
          at === null ? (
            <p>{W.noSanctions}</p>
          ) : (
            <Facts
              of={[
                [W.loaded, <Moment at={at} />],
                [W.people, people],
                [W.names, names],
                [W.version, <code>{version}</code>],
              ]}
            />
          )
        }
      </WhenLoaded>
    </section>
  );
}
