import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { comparisonOf } from '../../bench/compare.js';
import { SECTIONS } from '../../bench/sections/all.js';
import { followerLagsIn } from '../../bench/support/bench-service.js';
import { measuredIn, resultsOf, withFiguresOf } from '../../bench/support/results.js';
import { REAL } from '../../bench/support/workload.js';

const RUN_SECONDS_MAX = 30 * 60;
const HEAD = '| Figure | Measured |\n|---|---|\n';

const results = readFileSync('bench/results.md', 'utf8');

describe.each(['README.md', 'docs/benchmarks.md'])('the figures in %s', (path) => {
  const [, after = ''] = readFileSync(path, 'utf8').split(HEAD);
  const table = after.split('\n\n')[0]!;
  const shown = [...measuredIn(`${table}\n`)];

  it('are those of bench/results.md', () => {
    expect(shown.length).toBeGreaterThan(0);
    expect(shown).toHaveLength(table.split('\n').length);
    const measured = measuredIn(results);
    expect(shown).toEqual(shown.map(([what]) => [what, measured.get(what)]));
  });

  it('begin with the rate that is sustained', () => {
    expect(shown[0]?.[0]).toBe('sustained orders/s, in batches of 100');
  });
});

describe('a whole run', () => {
  it('is planned for less than 30 minutes', () => {
    const planned = Object.values(SECTIONS).reduce((sum, { plannedSeconds }) => sum + plannedSeconds, 0);
    expect(planned).toBeLessThan(RUN_SECONDS_MAX);
  });

  it('has the sections of docs/benchmarks.md, and takes as long as that says', () => {
    const text = readFileSync('docs/benchmarks.md', 'utf8');
    const told = [...text.matchAll(/^\| `(\w+)` \| (\d+) s \|/gm)].map(([, name, seconds]) => [
      name,
      Number(seconds),
    ]);
    expect(told).toEqual(
      Object.entries(SECTIONS).map(([name, { plannedSeconds }]) => [name, plannedSeconds]),
    );
  });
});

describe('the results of a run', () => {
  const figures = [
    { what: 'orders `a` / echo', measured: '0.93', goal: '≥ 0.85', isMet: true, basis: '930/s / 1,000/s' },
    { what: 'lag', measured: '1,204 ms', goal: '≤ 1,000 ms', isMet: false, basis: 'p50 3.00 ms' },
  ];
  const conditions = {
    command: 'npm run bench',
    commit: '0123456789ab',
    startedAt: new Date('2026-11-27T10:00:00Z'),
    loadAverage: 0.25,
  };
  const text = resultsOf([{ name: 'orders', figures, seconds: 60 }], conditions, {
    workload: REAL,
    databaseVersion: '18.4',
  });

  it('say on what they were measured, and what missed its goal', () => {
    expect(text).toContain('Written by `npm run bench` at commit 0123456789ab on 2026-11-27, in 1.0 minutes');
    expect(text).toContain('load average was\n0.25 at the beginning');
    expect(text).toMatch(/^\| lag +\| 1,204 ms \| ≤ 1,000 ms \| MISSED \| p50 3.00 ms +\|$/m);
  });

  it('are read from their tables again', () => {
    const read = measuredIn(text);
    for (const { what, measured } of figures) expect(read.get(what)).toBe(measured);
  });

  it('renew the rows of documents that show them, and no others', () => {
    const document = `${HEAD}| orders \`a\` / echo | 0.71 |\n| other | 5 |\n\n| \`PORT\` | 3000 | lag |\n`;
    expect(withFiguresOf(text, document)).toBe(document.replace('0.71', '0.93'));
  });
});

it('the lags of those that follow the journal are read from the metrics', () => {
  const metrics = [
    '# TYPE tradepost_follower_lag_seconds gauge',
    'tradepost_core_projection_lag_seconds 0.25',
    'tradepost_follower_lag_seconds{follower="fills"} 0',
    'tradepost_follower_lag_seconds{process="1",follower="candles"} 1.5',
    'tradepost_follower_lag_seconds_max{follower="fills"} 9',
  ];
  expect([...followerLagsIn(`${metrics.join('\n')}\n`)]).toEqual([
    ['tables', 0.25],
    ['fills', 0],
    ['candles', 1.5],
  ]);
});

describe('a comparison', () => {
  const runs = (...each: Record<string, string>[]) => each.map((run) => new Map(Object.entries(run)));

  it('has the medians of both, their ratio and how far the runs differ, of figures that both have', () => {
    const here = {
      name: 'here',
      runs: runs({ rate: '1,100/s', new: '3' }, { rate: '1,000/s' }, { rate: '1,200/s' }),
    };
    const there = {
      name: 'main',
      runs: runs({ rate: '500/s', old: '1' }, { rate: '550/s' }, { rate: '600/s' }),
    };
    const rows = comparisonOf(here, there)
      .split('\n')
      .map((row) => row.split('|').map((cell) => cell.trim()));
    expect(rows[0]).toEqual(['', 'Figure', 'here', 'main', 'here / main', 'Spread of each', '']);
    expect(rows.slice(2)).toEqual([['', 'rate', '1,100', '550', '2.00', '18 %, 18 %', '']]);
  });

  it('leaves out what is no number', () => {
    const [here, there] = ['here', 'main'].map((name) => ({ name, runs: runs({ lag: '–', rate: '–' }) }));
    expect(comparisonOf(here!, there!).split('\n')).toHaveLength(2);
  });
});
