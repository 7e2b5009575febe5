import type { JSX } from 'preact';
import { useLoaded } from '../live.js';
import { Download } from '../parts/download.jsx';
import { Facts } from '../parts/facts.jsx';
import { Badge, WhenLoaded } from '../parts/notice.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { Receipts } from './receipts.jsx';
import { Replay } from './replay.jsx';
import { look, type Look } from './witness.js';
import './proof.css';

const W = words.proof;

/** What anyone may check of the books, checked by this browser. */
export function Proof(): JSX.Element {
  const looked = useLoaded('head', (signal) => look(session.value.client, signal));
  return (
    <>
      <p class="hint">{W.intro}</p>
      <section class="panel">
        <div class="filters">
          <h2>{W.journal}</h2>
          <button type="button" onClick={looked.reload}>
            {W.again}
          </button>
          <Download
            label={W.saveHead}
            fileName="head.json"
            open={() => session.value.client.response('/journal/head', {})}
          />
        </div>
        <WhenLoaded of={looked}>{(value) => <NewestHead {...value} />}</WhenLoaded>
      </section>
      <Replay />
      <Receipts />
    </>
  );
}

function NewestHead({ head, fault, from }: Look): JSX.Element {
  return (
    <>
      <p role="status">
        <Badge tone={fault === null ? 'good' : 'bad'} text={fault === null ? W.good : W.bad} />{' '}
        {fault === null
          ? from === null
            ? W.first
            : W.goesOn({ height: from })
          : fault === 'other key'
            ? W.otherKey
            : fault.reason}
      </p>
      <Facts
        of={[
          [W.rows, head.height],
          [W.committed, <Moment at={head.time} />],
          [W.root, <code class="hash">{head.root_hash}</code>],
          [W.state, <code class="hash">{head.state_hash}</code>],
          [W.key, <code class="hash">{head.key_id}</code>],
        ]}
      />
    </>
  );
}
