import { type CallHandler, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { defer, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../../security/principal.js';
import { CsvAnswers } from './csv-answers.js';

const FORMAT = { columns: ['id'], rows: 'data' };

describe('CsvAnswers', () => {
  it('lets 260 CSV requests of one owner not lock out those of another', async () => {
    const answers = new CsvAnswers();
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
    expect(refused[0]).toMatchObject({ reason: { code: 'rate_limited', headers: { 'Retry-After': '1' } } });
  });
});
