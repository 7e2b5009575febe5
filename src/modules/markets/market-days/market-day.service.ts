import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Between } from 'typeorm';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { unitsOf } from '../../../domain/market/units.js';
import { Clock } from '../../../kit/clock.js';
import { presentOwner } from '../../../kit/turns/owner.js';
import { TurnQueue } from '../../../kit/turns/turn-queue.js';
import { FileStore, type StoredFile } from '../../../kit/files/file-store.js';
import { csvText } from '../../../kit/http/csv/csv-text.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { toTradeDto, TRADE_COLUMNS } from '../market-data/trade.dto.js';
import { TradeEntity } from '../market-data/trade.entity.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** By more than this a commit's time is never behind the clock; then the day has all its trades. */
const SETTLED_AFTER_MS = 60_000;
const TRADES_PER_READ = 2_000;
/** Days are made one at a time; others wait. */
const BOUNDS = { runningMax: 1, ownerRunningMax: 1, waitingMax: 200, ownerWaitingMax: 20 };
const DIGESTS_KEPT_MAX = 10_000;
const FORMAT = { columns: TRADE_COLUMNS, rows: 'data' };

/** A finished day as a compressed file. */
export interface MarketDay extends StoredFile {
  /** SHA-256 of the file, base64. */
  readonly digest: string;
}

/** The trades of a market's finished UTC days: each is made once, on demand, and kept as a file. */
@Injectable()
export class MarketDayService {
  private readonly making = new TurnQueue(BOUNDS);
  private readonly digests = new LRUCache<string, string>({ max: DIGESTS_KEPT_MAX });

  constructor(
    private readonly catalog: MarketCatalogService,
    private readonly moments: MomentsService,
    private readonly reads: ReadPool,
    private readonly files: FileStore,
    private readonly clock: Clock,
  ) {}

  /**
   * All trades of a UTC day such as `2026-11-22`, oldest first, as gzipped CSV. Throws `market_not_found`,
   * `validation_failed` for no day, and `not_found` for a day that is not over.
   */
  async get(marketId: string, day: string): Promise<MarketDay> {
    this.catalog.view(marketId);
    const startMs = parseUtcTime(`${day}T00:00:00Z`);
    if (startMs === undefined) {
      throw ApiError.validation([{ field: 'day', message: 'day must be a UTC day such as 2026-11-22' }]);
    }
    if (this.clock.nowMs() < startMs + DAY_MS + SETTLED_AFTER_MS) {
      throw new ApiError(
        NOT_FOUND,
        'Only finished days have a history; a day is there a minute after its end.',
      );
    }
    const name = fileName(marketId, day);
    return (
      (await this.stored(name)) ?? this.making.take(presentOwner(), () => this.make(marketId, startMs, name))
    );
  }

  private async stored(name: string): Promise<MarketDay | undefined> {
    const digest = this.digests.get(name) ?? (await this.digestOf(name));
    if (digest === undefined) return undefined;
    const file = await this.files.open(name);
    return file && { ...file, digest };
  }

  /** Read from the file itself, so that it is right whichever process has made it. */
  private async digestOf(name: string): Promise<string | undefined> {
    const file = await this.files.open(name);
    if (file === undefined) return undefined;
    const sha256 = createHash('sha256');
    for await (const bytes of file.stream) sha256.update(bytes as Buffer);
    const digest = sha256.digest('base64');
    this.digests.set(name, digest);
    return digest;
  }

  private async make(marketId: string, startMs: number, name: string): Promise<MarketDay> {
    // Somebody who came before may have made it meanwhile.
    const stored = await this.stored(name);
    if (stored !== undefined) return stored;
    const [before, last] = await this.moments.sequencesBefore([startMs, startMs + DAY_MS]);
    const gzip = createGzip();
    const compressed = buffer(gzip);
    const write = async (text: string): Promise<void> => {
      if (!gzip.write(text)) await once(gzip, 'drain');
    };
    await write(csvText([], FORMAT, true));
    let count = 0;
    for await (const text of this.tradesBetween(marketId, before!, last!)) {
      count++;
      await write(text);
    }
    gzip.end();
    const content = await compressed;
    // A day without trades costs nothing to make again, and there are many of them.
    if (count > 0) await this.keep(name, content);
    return {
      sizeBytes: content.length,
      stream: Readable.from([content]),
      digest: createHash('sha256').update(content).digest('base64'),
    };
  }

  private async *tradesBetween(marketId: string, before: number, last: number): AsyncGenerator<string> {
    const units = unitsOf(this.catalog.view(marketId).definition);
    for (let after = before; after < last;) {
      const from = after + 1;
      const trades = await this.reads.read((manager) =>
        manager.find(TradeEntity, {
          where: { marketId, tradeId: Between(from, last) },
          order: { tradeId: 'ASC' },
          take: TRADES_PER_READ,
        }),
      );
      if (trades.length === 0) return;
      const rows = trades.map((trade) => toTradeDto(trade, units));
      yield csvText(rows, FORMAT, false);
      if (trades.length < TRADES_PER_READ) return;
      after = trades.at(-1)!.tradeId;
    }
  }

  /** Another process may have kept the same day first. */
  private async keep(name: string, content: Buffer): Promise<void> {
    try {
      await this.files.put(name, content);
    } catch (error) {
      const other = await this.files.open(name);
      if (other === undefined) throw error;
      other.stream.destroy();
    }
  }
}

/** Ids of markets have characters that names of files have not. */
function fileName(marketId: string, day: string): string {
  return `market-days/${Buffer.from(marketId).toString('hex')}-${day}.gz`;
}
