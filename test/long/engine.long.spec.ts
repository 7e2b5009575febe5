import { describe, it } from 'vitest';
import { compareWithNaiveExchange, seedFromEnvironment } from '../support/domain/property.js';

const COMMANDS = Number(process.env.COMMANDS ?? 1_000_000);
const COMMANDS_PER_WORLD = 2_500;
const REPORT_EVERY = 50_000;

describe('the engine and a naive exchange, at length', () => {
  it(`agree on everything after each of ${COMMANDS} random commands`, { timeout: 3_600_000 }, () => {
    const seed = seedFromEnvironment();
    console.log(`SEED=${seed} COMMANDS=${COMMANDS}`);
    const startedAt = performance.now();
    const onWorld = (applied: number): void => {
      if (applied % REPORT_EVERY !== 0) return;
      console.log(`${applied} commands agree after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    };
    compareWithNaiveExchange(seed, COMMANDS, COMMANDS_PER_WORLD, { onWorld });
  });
});
