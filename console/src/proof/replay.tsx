import type { TradepostClient } from '@tradepost/client';
import { type ProvenPublicJournal, PublicJournal } from '@tradepost/verify';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Form, useAction } from '../parts/form.jsx';
import { Facts } from '../parts/facts.jsx';
import { Badge } from '../parts/notice.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

const W = words.proof;

const ROWS_PER_PAGE = 200;

interface Progress {
  readonly row: number;
  readonly rows: number;
}

/** The public part of the journal, replayed by this browser from the first row to the newest head. */
export function Replay(): JSX.Element {
  const action = useAction();
  const running = useRef<AbortController | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [proven, setProven] = useState<ProvenPublicJournal | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (): Promise<undefined> => {
    const stop = new AbortController();
    running.current = stop;
    setProven(null);
    try {
      setProven(await replay(session.value.client, stop.signal, setProgress));
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      setProgress(null);
    }
    return undefined;
  };
  return (
    <section class="panel">
      <h2>{W.replay}</h2>
      <p class="hint">{W.replayHint}</p>
      <Form label={W.replay} submit={W.replayAll} action={action} onSubmit={() => void action.run(run)} />
      {progress !== null && (
        <p role="status">
          {W.replaying({ row: progress.row, rows: progress.rows })}{' '}
          <progress max={progress.rows} value={progress.row} />{' '}
          <button type="button" onClick={() => running.current?.abort()}>
            {W.stop}
          </button>
        </p>
      )}
      {proven !== null && <Replayed {...proven} />}
    </section>
  );
}

/** Throws what differs, for the form to show. */
async function replay(
  client: TradepostClient,
  signal: AbortSignal,
  tell: (progress: Progress) => void,
): Promise<ProvenPublicJournal> {
  const [head, keys] = await Promise.all([
    client.get('/journal/head', { signal }),
    client.get('/journal/keys', { signal }),
  ]);
  const journal = new PublicJournal();
  while (journal.height < head.height) {
    tell({ row: journal.height, rows: head.height });
    const query = { from: journal.height + 1, limit: Math.min(ROWS_PER_PAGE, head.height - journal.height) };
    const { data } = await client.get('/journal/public', { params: { query }, signal });
    for (const row of data) {
      const fault = journal.take(row);
      if (fault !== null) throw new Error(`${W.bad}: ${fault}`);
    }
    if (data.length === 0) break;
  }
  const result = journal.verify(head, keys);
  if (!result.ok) throw new Error(`${W.bad}: ${result.reason}`);
  return result;
}

function Replayed({
  rows,
  trades,
  orderChanges,
  openOrders,
  markets,
  time,
  publicStateHash,
  isWhole,
}: ProvenPublicJournal): JSX.Element {
  return (
    <>
      <p role="status">
        <Badge tone="good" text={W.good} /> {isWhole ? W.replayed : W.replayedInPart}
      </p>
      <Facts
        of={[
          [W.rows, rows],
          [W.committed, <Moment at={time} />],
          [W.trades, trades],
          [W.orderChanges, orderChanges],
          [W.openOrders, `${openOrders} / ${markets}`],
          [W.publicState, <code class="hash">{publicStateHash}</code>],
        ]}
      />
    </>
  );
}
