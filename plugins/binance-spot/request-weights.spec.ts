import { describe, expect, it } from 'vitest';
import type { Config, Settings } from '../../src/index.js';
import { BinanceError } from './binance-error.js';
import { REFUSALS_MAX, RequestWeights } from './request-weights.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ADDRESS = '192.0.2.1';

function weightsOf(rateLimits: Config['rateLimits'] = 'on'): RequestWeights {
  return new RequestWeights({ get: () => 10 } as unknown as Settings, { rateLimits } as Config);
}

/** What is answered to one request of a weight of 10. */
function answerOf(weights: RequestWeights, nowMs: number, address = ADDRESS): [number, number | undefined] {
  try {
    weights.take(address, 10, nowMs);
    return [200, undefined];
  } catch (error) {
    if (!(error instanceof BinanceError)) throw error;
    expect(error.code).toBe(-1003);
    return [error.status, Number(error.headers['Retry-After'])];
  }
}

/** Goes on until it is banned; returns for how many seconds. */
function offend(weights: RequestWeights, nowMs: number): number {
  expect(answerOf(weights, nowMs)).toEqual([200, undefined]);
  for (let refusals = 0; refusals < REFUSALS_MAX; refusals++) {
    expect(answerOf(weights, nowMs)).toEqual([429, 60]);
  }
  const [status, retryAfterS] = answerOf(weights, nowMs);
  expect(status).toBe(418);
  return retryAfterS!;
}

describe('the weights of requests', () => {
  it('ban an address that goes on after many refusals, for two minutes at first', () => {
    const weights = weightsOf();
    expect(offend(weights, 0)).toBe(120);
    expect(answerOf(weights, MINUTE_MS)).toEqual([418, 60]);
    expect(answerOf(weights, MINUTE_MS, '192.0.2.2')).toEqual([200, undefined]);
    expect(answerOf(weights, 2 * MINUTE_MS)).toEqual([200, undefined]);
  });

  it('ban for longer each time, up to three days, and forget', () => {
    const weights = weightsOf();
    let nowMs = 0;
    const lengths: number[] = [];
    for (let offences = 0; offences < 14; offences++) {
      const seconds = offend(weights, nowMs);
      lengths.push(seconds / 60);
      nowMs += seconds * 1_000;
    }
    expect(lengths.slice(0, 4)).toEqual([2, 4, 8, 16]);
    expect(lengths.at(-1)).toBe((3 * DAY_MS) / MINUTE_MS);
    expect(offend(weights, nowMs + 3 * DAY_MS + MINUTE_MS)).toBe(120);
  });

  it('count refusals by the minute', () => {
    const weights = weightsOf();
    for (let minute = 0; minute < 3; minute++) {
      expect(answerOf(weights, minute * MINUTE_MS)[0]).toBe(200);
      for (let refusals = 0; refusals < REFUSALS_MAX; refusals++) {
        expect(answerOf(weights, minute * MINUTE_MS)[0]).toBe(429);
      }
    }
  });

  it('limit nobody where limits are off', () => {
    const weights = weightsOf('off');
    for (let requests = 0; requests < 2 * REFUSALS_MAX; requests++) {
      expect(answerOf(weights, 0)[0]).toBe(200);
    }
  });
});
