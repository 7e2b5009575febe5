import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Rounds } from './rounds.js';
import { eventually } from '../../../test/support/eventually.js';

const NEVER_MS = 3_600_000;

describe('Rounds', () => {
  const begun: Rounds[] = [];
  afterEach(async () => {
    for (const rounds of begun.splice(0)) await rounds.end();
    vi.restoreAllMocks();
  });

  async function begin(round: () => Promise<boolean>, everyMs = NEVER_MS): Promise<Rounds> {
    const rounds = new Rounds({ name: 'Test', everyMs }, round);
    begun.push(rounds);
    await rounds.begin();
    return rounds;
  }

  it('begin at once, and go on for as long as there is more', async () => {
    let left = 5;
    await begin(() => Promise.resolve(--left > 0));
    await eventually(() => expect(left).toBe(0));
  });

  it('come again after a while, also after a failure', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const round = vi.fn(() => Promise.resolve(false)).mockRejectedValueOnce(new Error('once'));
    await begin(round, 5);
    await eventually(() => expect(round.mock.calls.length).toBeGreaterThan(2));
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('never run beside each other, and miss no request that comes during one', async () => {
    let running = 0;
    let seen = 0;
    let asked = 0;
    const rounds = await begin(async () => {
      expect(++running).toBe(1);
      const known = asked;
      await delay(2);
      seen = known;
      running--;
      return false;
    });
    for (let i = 0; i < 50; i++) {
      asked++;
      rounds.request();
      await delay(Math.random() * 3);
    }
    await eventually(() => expect(seen).toBe(asked));
  });

  it('end with the one that runs', async () => {
    let hasEnded = false;
    const rounds = await begin(async () => {
      await delay(20);
      hasEnded = true;
      return true;
    });
    await rounds.end();
    expect(hasEnded).toBe(true);
    rounds.request();
  });

  it('are left out while this process does not lead', async () => {
    let leads = false;
    const round = vi.fn(() => Promise.resolve(false));
    const rounds = new Rounds({ name: 'Test', everyMs: 5, leads: () => leads }, round);
    begun.push(rounds);
    await rounds.begin();
    await delay(30);
    expect(round).not.toHaveBeenCalled();
    leads = true;
    await vi.waitFor(() => expect(round).toHaveBeenCalled(), 30_000);
    leads = false;
    const { length } = round.mock.calls;
    await delay(30);
    expect(round.mock.calls.length).toBeLessThanOrEqual(length + 1);
  });

  it('know which of them is the first that is done', async () => {
    const first: boolean[] = [];
    let asked = 0;
    const rounds = new Rounds({ name: 'Test', everyMs: 5, leads: () => ++asked > 3 }, ({ isFirst }) => {
      first.push(isFirst);
      return Promise.resolve(false);
    });
    begun.push(rounds);
    await rounds.begin();
    await vi.waitFor(() => expect(first.length).toBeGreaterThan(2), 30_000);
    expect(first.slice(0, 3)).toEqual([true, false, false]);
  });

  it('may begin later, and end before', async () => {
    const round = vi.fn(() => Promise.resolve(false));
    const rounds = new Rounds({ name: 'Test', everyMs: NEVER_MS, isFirstLater: true }, round);
    await rounds.begin();
    await rounds.end();
    expect(round).not.toHaveBeenCalled();
    await rounds.begin();
    begun.push(rounds);
    rounds.request();
    await vi.waitFor(() => expect(round).toHaveBeenCalledTimes(1), 30_000);
  });

  it('tell a round that they are to end', async () => {
    let hasHeard = false;
    const rounds = new Rounds({ name: 'Test', everyMs: NEVER_MS }, async ({ signal }) => {
      await delay(NEVER_MS, undefined, { signal }).catch(() => (hasHeard = true));
      return true;
    });
    await rounds.begin();
    await rounds.end();
    expect(hasHeard).toBe(true);
  });

  it('begin anew, one at a time, where they have begun already', async () => {
    let running = 0;
    const first: boolean[] = [];
    const rounds = await begin(async () => {
      expect(++running).toBe(1);
      first.push(true);
      await delay(5);
      running--;
      return false;
    });
    await rounds.begin();
    await vi.waitFor(() => expect(first).toHaveLength(2), 30_000);
  });

  it('can begin again', async () => {
    const round = vi.fn(() => Promise.resolve(false));
    const rounds = await begin(round);
    await eventually(() => expect(round).toHaveBeenCalledTimes(1));
    await rounds.end();
    await rounds.begin();
    await eventually(() => expect(round).toHaveBeenCalledTimes(2));
  });
});
