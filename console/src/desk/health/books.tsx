import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded, useLooks } from '../../live.js';
import { Facts } from '../../parts/facts.jsx';
import { Badge, WhenLoaded } from '../../parts/notice.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

const W = words.deskHealth;

/** Whether all money is accounted for, and what the state of the exchange hashes to. */
export function Books(): JSX.Element {
  const [isFull, setFull] = useState(false);
  const loaded = useLoaded(`${isFull}`, (signal) =>
    session.value.client.get('/admin/ledger/check', {
      params: { query: { ...(isFull && { full: true }) } },
      signal,
    }),
  );
  useLooks(loaded.value?.full?.status === 'running', loaded);
  return (
    <section class="panel">
      <div class="row">
        <h2>{W.books}</h2>
        <span class="filters">
          <button type="button" onClick={loaded.reload}>
            {W.look}
          </button>
          <button type="button" onClick={() => setFull(true)}>
            {W.full}
          </button>
        </span>
      </div>
      <WhenLoaded of={loaded}>
        {({ balanced, problems, sequence, state_hash: hash, full }) => (
          <>
            <Badge tone={balanced ? 'good' : 'bad'} text={balanced ? W.balanced : W.unbalanced} />
            <Facts
              of={[
                [W.sequence, sequence],
                [W.hash, <code>{hash}</code>],
              ]}
            />
            {full !== undefined && (
              <p role="status">
                {full.status === 'running' && W.fullProgress({ percent: Math.floor(full.progress * 100) })}
                {full.status === 'failed' && W.fullFailed}
                {full.status === 'done' && full.balanced === true && W.fullDone}
              </p>
            )}
            {[...problems, ...(full?.problems ?? [])].map((problem) => (
              <p key={problem} class="error">
                {problem}
              </p>
            ))}
          </>
        )}
      </WhenLoaded>
    </section>
  );
}
