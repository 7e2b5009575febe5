import { FieldCatalogue } from '../fields/field-catalogue.js';
import { type CallHandler, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { defer, lastValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { Principal } from '../security/principal.js';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../config/config.js';
import { BUDGETS, RateLimits } from '../rate-limit/rate-limits.js';
import { POINTS } from '../rate-limit/points.js';
import { RATE_LIMITED } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { CsvAnswers } from './csv-answers.js';

const FORMAT = { columns: ['id'], rows: 'data' };

const REQUEST = {
  user: { accountOwner: 'user:1' } as Principal,
  query: {},
  accepts: () => 'text/csv',
} as unknown as Request;
const RESPONSE = { vary: () => undefined, destroy: () => undefined } as unknown as Response;

/** A list of so many pages. */
function pagesOf(count: number): CallHandler {
  let page = 0;
  const next = (): object => ({ data: [{ id: `${++page}` }], next_cursor: page < count ? 'more' : null });
  return { handle: () => defer(() => Promise.resolve(next())) };
}

const NO_FIELDS = new FieldCatalogue([]);

describe('CsvAnswers', () => {
  it('costs points by the page, and is refused where too few are left for the first', async () => {
    const limits = new RateLimits(loadConfig({ RATE_LIMITS: 'on' }));
    const consume = vi.spyOn(limits, 'consume');
    const answers = new CsvAnswers(limits, NO_FIELDS);
    const file = await lastValueFrom(answers.inFormat(FORMAT, REQUEST, RESPONSE, pagesOf(3)));
    expect(await text((file as StreamableFile).getStream())).toBe('id\r\n1\r\n2\r\n3\r\n');
    expect(consume.mock.calls).toEqual(Array.from({ length: 3 }, () => ['reads', 'user:1', POINTS.csvPage]));
    consume.mockRestore();
    await limits.consume('reads', 'user:1', BUDGETS.reads.points - 3 * POINTS.csvPage - 1);
    await expect(
      lastValueFrom(answers.inFormat(FORMAT, REQUEST, RESPONSE, pagesOf(1))),
    ).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('waits in the middle of a list until there are points again, and cuts nothing short', async () => {
    const spent = new ApiError(RATE_LIMITED, 'Spent.', { headers: { 'Retry-After': '0.001' } });
    let asked = 0;
    const limits = {
      callerOf: () => 'user:1',
      consume: () => (++asked % 2 === 0 ? Promise.reject(spent) : Promise.resolve()),
    } as unknown as RateLimits;
    const file = await lastValueFrom(
      new CsvAnswers(limits, NO_FIELDS).inFormat(FORMAT, REQUEST, RESPONSE, pagesOf(4)),
    );
    expect(await text((file as StreamableFile).getStream())).toBe('id\r\n1\r\n2\r\n3\r\n4\r\n');
    expect(asked).toBe(7);
  });

  it('lets 260 CSV requests of one owner not lock out those of another', async () => {
    const answers = new CsvAnswers(new RateLimits(loadConfig({ RATE_LIMITS: 'off' })), NO_FIELDS);
    let read = 0;
    const pages: CallHandler = {
      handle: () =>
        defer(async () => {
          await new Promise(setImmediate);
          return { data: [{ id: `${++read}` }], next_cursor: null };
        }),
    };
    const ask = (owner: string): Promise<unknown> => {
      const user = { accountOwner: owner } as Principal;
      const request = { user, query: {}, accepts: () => 'text/csv' } as unknown as Request;
      const response = { vary: () => undefined } as unknown as Response;
      return lastValueFrom(answers.inFormat(FORMAT, request, response, pages));
    };
    const all = Promise.allSettled(Array.from({ length: 260 }, () => ask('user:1')));
    expect(await ask('user:2')).toBeInstanceOf(StreamableFile);
    expect(read).toBeLessThanOrEqual(3);
    const refused = (await all).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(159);
    expect(refused[0]).toMatchObject({ reason: { code: 'rate_limited', retryAfterS: 1 } });
  });
});
