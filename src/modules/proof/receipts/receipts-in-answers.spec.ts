import { setImmediate } from 'node:timers/promises';
import type { Request } from 'express';
import { describe, expect, it, vi } from 'vitest';
import type { Receipt } from '../../../domain/proof/receipt.js';
import { loadConfig } from '../../../kit/config/config.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { POINTS } from '../../../kit/rate-limit/points.js';
import { BUDGETS, RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { ReceiptsInAnswers } from './receipts-in-answers.js';
import type { ReceiptsService } from './receipts.service.js';

const RECEIPT = { height: 1 } as Receipt;

const requestOf = (...scopes: string[]): Request =>
  ({ user: { accountOwner: 'user:1', scopes: new Set(scopes) }, params: {} }) as unknown as Request;

function receiptsWith(ofOrder: () => Promise<Receipt>, rateLimits: 'on' | 'off' = 'off') {
  const made = vi.fn(ofOrder);
  const limits = new RateLimits(loadConfig({ RATE_LIMITS: rateLimits }));
  const receipts = new ReceiptsInAnswers({ ofOrder: made } as unknown as ReceiptsService, limits);
  const ask = (...scopes: string[]): Promise<Receipt | null> =>
    receipts.receiptOf('accepted_order', () => 'ord_1', requestOf(...scopes));
  return { ask, made };
}

describe('receipts in answers', () => {
  it('are made for whoever may read them', async () => {
    const { ask, made } = receiptsWith(() => Promise.resolve(RECEIPT));
    expect(await ask('account:read')).toBe(RECEIPT);
    expect(await ask('markets:trade')).toBe(RECEIPT);
    expect(made).toHaveBeenCalledTimes(2);
    expect(await ask('wallets:write', 'banking:read')).toBe(null);
    expect(made).toHaveBeenCalledTimes(2);
  });

  it('are missing, and never fail, whatever goes wrong', async () => {
    for (const error of [new ApiError(TEMPORARILY_UNAVAILABLE, 'Not yet.'), new Error('broken'), 7]) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      const { ask } = receiptsWith(() => Promise.reject(error));
      expect(await ask('account:read')).toBe(null);
    }
  });

  it('cost points of the budget of reads, and are missing where too few are left', async () => {
    const { ask, made } = receiptsWith(() => Promise.resolve(RECEIPT), 'on');
    const points = Math.floor(BUDGETS.reads.points / POINTS.receipt);
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask('account:read')));
    expect(answers).not.toContain(null);
    for (let asked = 200; asked < points; asked++) await ask('account:read');
    expect(await ask('account:read')).toBe(null);
    expect(made).toHaveBeenCalledTimes(points);
  });

  it('are waited for no longer than a second, however many ask, and are not begun after it', async () => {
    let release: (receipt: Receipt) => void = () => undefined;
    const held = new Promise<Receipt>((resolve) => (release = resolve));
    const { ask, made } = receiptsWith(() => held);
    const beganMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 500 }, () => ask('account:read')));
    expect(performance.now() - beganMs).toBeLessThan(2_000);
    expect(new Set(answers)).toEqual(new Set([null]));
    const begun = made.mock.calls.length;
    expect(begun).toBeLessThan(100);
    release(RECEIPT);
    await setImmediate();
    expect(await ask('account:read')).toBe(RECEIPT);
    expect(made).toHaveBeenCalledTimes(begun + 1);
  });
});
