import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { grouped } from '../decimal.js';
import { wordsOf } from '../live.js';
import { Choice } from '../parts/field.jsx';
import { Failure } from '../parts/notice.jsx';
import { type Series, SeriesChart } from '../parts/series-chart.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { type Moment, momentOf } from './moments.js';

const W = words.portfolio;
const HOUR_MS = 3_600_000;
const SPANS_MS = { day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 720 * HOUR_MS, year: 8_760 * HOUR_MS };
type Span = keyof typeof SPANS_MS;

/** How many moments a line has: each costs the service three small reads. */
const MOMENTS = 24;
const AT_ONCE = 3;

/** What the account was worth over time, and what it has earned: read from the service at moments of the past. */
export function History({ accountId }: { readonly accountId: string }): JSX.Element {
  const [span, setSpan] = useState<Span>('week');
  const { moments, failure } = useMoments(accountId, span);
  const assets = [...new Set(moments.flatMap(({ equity }) => [...equity.keys()]))].sort();
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const asset = chosen ?? (assets.includes('USD') ? 'USD' : assets[0]);
  return (
    <section class="panel history">
      <div class="filters">
        <h2>{W.history}</h2>
        <Choice label={W.over} value={span} options={W.spans} onChange={setSpan} />
        {assets.length > 1 && asset !== undefined && (
          <Choice
            label={W.asset}
            value={asset}
            options={Object.fromEntries(assets.map((each) => [each, each]))}
            onChange={setChosen}
          />
        )}
        {moments.length < MOMENTS && failure === '' && (
          <progress
            max={MOMENTS}
            value={moments.length}
            aria-label={W.historyLoads({ done: moments.length, all: MOMENTS })}
          />
        )}
      </div>
      {failure !== '' && <Failure text={failure} />}
      {asset !== undefined && <Figures last={moments.at(-1)} asset={asset} />}
      {asset !== undefined && moments.length > 1 && (
        <div class="panels">
          <SeriesChart
            title={`${W.equity} (${asset})`}
            series={[lineOf(W.equity, moments, ({ equity }) => equity.get(asset))]}
            format={formatted}
          />
          <SeriesChart
            title={`${W.net} (${asset})`}
            series={[
              lineOf(W.net, moments, ({ pnl }) => pnl.get(asset)?.net),
              lineOf(W.realized, moments, ({ pnl }) => pnl.get(asset)?.realized),
            ]}
            format={formatted}
          />
        </div>
      )}
    </section>
  );
}

function Figures({
  last,
  asset,
}: {
  readonly last: Moment | undefined;
  readonly asset: string;
}): JSX.Element {
  const pnl = last?.pnl.get(asset);
  return (
    <>
      <dl class="figures">
        {(
          [
            [W.equity, last?.equity.get(asset)],
            [W.net, pnl?.net],
            [W.realized, pnl?.realized],
            [W.unrealized, pnl?.unrealized],
            [W.fees, pnl?.fees],
          ] as const
        ).map(([name, amount]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{amount == null ? '–' : `${grouped(amount)} ${asset}`}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">{W.equityIs}</p>
    </>
  );
}

interface Moments {
  /** Those that have come, in the order of time. */
  readonly moments: readonly Moment[];
  readonly failure: string;
}

/** The last first, since it is what people look for; the others follow a few at a time. */
function useMoments(accountId: string, span: Span): Moments {
  const [state, setState] = useState<Moments>({ moments: [], failure: '' });
  useEffect(() => {
    const stop = new AbortController();
    const { client } = session.value;
    const now = Date.now();
    const times = Array.from({ length: MOMENTS }, (_, at) => now - (SPANS_MS[span] * at) / (MOMENTS - 1));
    const readSome = async (): Promise<void> => {
      for (let time = times.shift(); time !== undefined; time = times.shift()) {
        // Rejects once the page is left.
        const moment = await momentOf(client, accountId, time, time === now, stop.signal);
        setState(({ moments, failure }) => ({
          moments: [...moments, moment].sort((a, b) => a.atMs - b.atMs),
          failure,
        }));
      }
    };
    setState({ moments: [], failure: '' });
    Promise.all(Array.from({ length: AT_ONCE }, readSome)).catch((error: unknown) => {
      if (!stop.signal.aborted) setState(({ moments }) => ({ moments, failure: wordsOf(error) }));
    });
    return () => stop.abort();
  }, [accountId, span]);
  return state;
}

function lineOf(
  name: string,
  moments: readonly Moment[],
  valueAt: (moment: Moment) => string | null | undefined,
): Series {
  return {
    name,
    points: moments.flatMap((moment) => {
      const value = valueAt(moment);
      return value === null ? [] : { atMs: moment.atMs, value: Number(value ?? 0) };
    }),
  };
}

function formatted(value: number): string {
  return grouped(value.toFixed(2));
}
