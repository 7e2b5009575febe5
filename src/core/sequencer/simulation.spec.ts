import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.js';
import { simulate } from '../../../test/support/simulation/simulation.js';

const SEEDS = rounds('SIM_SEEDS', 200, 10_000);
const FIRST_SEED = Number(process.env['SIM_SEED'] ?? 1);

describe('the single writer on a store with faults', () => {
  it('gives the same run for the same seed', async () => {
    expect(await simulate(FIRST_SEED)).toEqual(await simulate(FIRST_SEED));
  });

  it(`keeps every promise in ${SEEDS} seeds`, { timeout: 3_600_000 }, async () => {
    const sum = {
      seeds: 0,
      acknowledged: 0,
      askedAgain: 0,
      terms: 0,
      kills: 0,
      freezes: 0,
      cuts: 0,
      crashes: 0,
    };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      const { store, ...report } = await simulate(seed);
      sum.seeds++;
      sum.crashes += store.crashes;
      for (const key of ['acknowledged', 'askedAgain', 'terms', 'kills', 'freezes', 'cuts'] as const)
        sum[key] += report[key];
    }
    console.log(`SIM_SEED=${FIRST_SEED} ${JSON.stringify(sum)}`);
    expect(sum.terms).toBeGreaterThan(sum.seeds);
    expect(sum.askedAgain).toBeGreaterThan(0);
  });
});
