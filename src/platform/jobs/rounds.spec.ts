import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Rounds } from './rounds.js';

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
    await vi.waitFor(() => expect(left).toBe(0));
  });

  it('come again after a while, also after a failure', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const round = vi.fn(() => Promise.resolve(false)).mockRejectedValueOnce(new Error('once'));
    await begin(round, 5);
    await vi.waitFor(() => expect(round.mock.calls.length).toBeGreaterThan(2));
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
    await vi.waitFor(() => expect(seen).toBe(asked));
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

  it('can begin again', async () => {
    const round = vi.fn(() => Promise.resolve(false));
    const rounds = await begin(round);
    await vi.waitFor(() => expect(round).toHaveBeenCalledTimes(1));
    await rounds.end();
    await rounds.begin();
    await vi.waitFor(() => expect(round).toHaveBeenCalledTimes(2));
  });
});
