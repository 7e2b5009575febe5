import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type CallHandler, Injectable, Logger, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { ownerOf } from '../turns/owner.js';
import { TurnQueue } from '../turns/turn-queue.js';
import { POINTS } from '../rate-limit/points.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { FieldCatalogue } from '../fields/field-catalogue.js';
import { ApiError } from '../http/errors.js';
import { PAGE_LIMIT_MAX } from '../http/pagination.js';
import { type CsvFormat, CsvForms } from '../http/csv/csv-rows.js';
import { csvText } from '../http/csv/csv-text.js';

/** How many pages of exports are read at a time, so that long ones leave room to everybody else. */
const BOUNDS = { runningMax: 2, ownerRunningMax: 1, waitingMax: 1_000, ownerWaitingMax: 100 };

/** How often a page waits for the next window of the budget. */
const WAITS_MAX = 30;

type Answer = Readonly<Record<string, unknown>>;

/**
 * Answers a list as CSV to those who ask for it: the route is run for page after page while the client reads, so an
 * export of any length needs the memory of a page. What goes wrong in the first page is answered as always; later the
 * connection is cut, so that nobody takes a part for the whole.
 */
@Injectable()
export class CsvAnswers extends CsvForms {
  private readonly logger = new Logger('Csv');
  private readonly reading = new TurnQueue(BOUNDS);

  constructor(
    private readonly limits: RateLimits,
    private readonly fields: FieldCatalogue,
  ) {
    super();
  }

  inFormat(format: CsvFormat, request: Request, response: Response, next: CallHandler): Observable<unknown> {
    response.vary('Accept');
    if (request.accepts(['json', 'text/csv']) !== 'text/csv') return next.handle();
    const { columns, fields } = format;
    const declared = fields === undefined ? [] : this.fields.readable(fields).map(({ name }) => name);
    return from(this.export(request, response, next, { ...format, columns: [...columns, ...declared] }));
  }

  private async export(
    request: Request,
    response: Response,
    next: CallHandler,
    format: CsvFormat,
  ): Promise<StreamableFile> {
    const read = async (cursor?: string): Promise<Answer> => {
      // The list was let in before it began, so it waits where the budget is spent.
      for (let waits = 0; cursor !== undefined; waits++) {
        const waitS = await this.spend(request).then(
          () => 0,
          (error: unknown) => retryAfterS(error, waits),
        );
        if (waitS === 0) break;
        await delay(waitS * 1_000);
      }
      turnTo(request, cursor);
      return this.reading.take(ownerOf(request), () => firstValueFrom(next.handle() as Observable<Answer>));
    };
    await this.spend(request);
    const first = await read();
    const text = Readable.from(textOf(first, read, format), { objectMode: false });
    const file = new StreamableFile(text, { type: 'text/csv; charset=utf-8; header=present' });
    return file
      .setErrorLogger((error) => this.logger.warn(`An export was cut short: ${String(error)}`))
      .setErrorHandler(() => void response.destroy());
  }

  /** Throws `rate_limited`. */
  private async spend(request: Request): Promise<void> {
    await this.limits.consume('reads', this.limits.callerOf(request), POINTS.csvPage);
  }
}

/** When to ask again; throws what is no spent budget, and gives up after a while. */
function retryAfterS(error: unknown, waits: number): number {
  if (!(error instanceof ApiError) || error.code !== 'rate_limited' || waits >= WAITS_MAX) throw error;
  return Number(error.headers['Retry-After']);
}

async function* textOf(
  first: Answer,
  read: (cursor: string) => Promise<Answer>,
  format: CsvFormat,
): AsyncGenerator<string> {
  for (let answer = first; ;) {
    yield csvText(answer[format.rows] as object[], format, answer === first);
    const { next_cursor: cursor } = answer;
    if (typeof cursor !== 'string') return;
    answer = await read(cursor);
  }
}

/** The query as the caller would send it for that page. */
function turnTo(request: Request, cursor: string | undefined): void {
  const { limit: _limit, cursor: _cursor, ...filter } = request.query;
  const query = { ...filter, limit: `${PAGE_LIMIT_MAX}`, ...(cursor !== undefined && { cursor }) };
  Object.defineProperty(request, 'query', { value: query, configurable: true, writable: true });
}
