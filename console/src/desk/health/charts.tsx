import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { grouped } from '../../decimal.js';
import { useLoaded, useLooks } from '../../live.js';
import { Facts } from '../../parts/facts.jsx';
import { Failure } from '../../parts/notice.jsx';
import { type Series, SeriesChart } from '../../parts/series-chart.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { largestOf, parseMetrics, quantileOf, rateOf, type Sample, sumOf } from './metrics.js';

const W = words.deskHealth;
/** As many as are shown: about a quarter of an hour. */
const SAMPLES_MAX = 225;

const REQUESTS = 'tradepost_http_request_duration_seconds';
const ORDERS = { method: 'POST', route: '/orders' };

/** One value a sample; undefined where there is none. */
type Reading = (before: Sample, now: Sample) => number | undefined;

interface Chart {
  readonly title: string;
  readonly lines: Readonly<Record<string, Reading>>;
}

const inMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

const within = (name: string, labels = {}): Chart['lines'] => ({
  [W.p50]: (before, now) => inMs(quantileOf(before, now, name, 0.5, labels)),
  [W.p99]: (before, now) => inMs(quantileOf(before, now, name, 0.99, labels)),
});

const CHARTS: readonly Chart[] = [
  {
    title: W.commands,
    lines: { [W.all]: (before, now) => rateOf(before, now, 'tradepost_core_batch_requests_sum') },
  },
  { title: W.commit, lines: within('tradepost_core_batch_duration_seconds') },
  { title: W.order, lines: within(REQUESTS, ORDERS) },
  {
    title: W.requests,
    lines: {
      [W.all]: (before, now) => rateOf(before, now, `${REQUESTS}_count`),
      [W.failing]: (before, now) => rateOf(before, now, `${REQUESTS}_count`, { status: /^5/ }),
    },
  },
  {
    title: W.queue,
    lines: { [W.depth]: (_before, now) => sumOf(now, 'tradepost_core_queue_depth') },
  },
  {
    title: W.lag,
    lines: {
      [W.ofTables]: (_before, now) => sumOf(now, 'tradepost_core_projection_lag_seconds'),
      [W.furthest]: (_before, now) => largestOf(now, 'tradepost_follower_lag_seconds'),
    },
  },
];

export function Charts(): JSX.Element {
  const { samples, failure } = useSamples();
  const last = samples.at(-1);
  return (
    <section class="panel">
      <h2>{W.now}</h2>
      <p class="hint">{W.ofProcess}</p>
      {failure !== undefined && <Failure text={failure} />}
      {last === undefined ? <p role="status">{words.loading}</p> : <Now sample={last} />}
      <div class="panels">
        {CHARTS.map(({ title, lines }) => (
          <SeriesChart
            key={title}
            title={title}
            series={Object.entries(lines).map(([name, reading]) => seriesOf(name, reading, samples))}
            format={formatted}
          />
        ))}
      </div>
    </section>
  );
}

/** What was read while the page is open. */
function useSamples(): { readonly samples: readonly Sample[]; readonly failure: string | undefined } {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const loaded = useLoaded('metrics', async (signal): Promise<Sample> => {
    const answer = await session.value.client.response('/metrics', { signal });
    return { atMs: Date.now(), lines: parseMetrics(await answer.text()) };
  });
  useLooks(true, loaded);
  const { value } = loaded;
  useEffect(() => {
    if (value !== undefined) setSamples((known) => [...known, value].slice(-SAMPLES_MAX));
  }, [value]);
  return { samples, failure: loaded.failure };
}

function seriesOf(name: string, reading: Reading, samples: readonly Sample[]): Series {
  const points = samples.slice(1).flatMap((now, at) => {
    const value = reading(samples[at]!, now);
    return value === undefined ? [] : [{ atMs: now.atMs, value }];
  });
  return { name, points };
}

function Now({ sample }: { readonly sample: Sample }): JSX.Element {
  const number = (name: string): string | null => {
    const value = sumOf(sample, name);
    return value === undefined ? null : grouped(value.toString());
  };
  const redis = sumOf(sample, 'tradepost_redis_up');
  return (
    <Facts
      of={[
        [W.leads, sumOf(sample, 'tradepost_core_leading') === 1 ? W.isYes : W.isNo],
        [W.height, number('tradepost_core_sequence')],
        [W.tables, number('tradepost_core_projection_sequence')],
        [W.waiting, number('tradepost_core_projection_waiting_rows')],
        [W.standbys, number('tradepost_core_sync_standbys')],
        [W.readStandbys, number('tradepost_database_read_standbys')],
        [W.redis, redis === undefined ? null : redis === 1 ? W.up : W.down],
      ]}
    />
  );
}

function formatted(value: number): string {
  return grouped(value.toFixed(value < 10 ? 2 : 0));
}
