import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../../../kit/config/settings.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { NewsWriter } from './news-writer.js';
import { RETENTION_NEWS_DAYS } from '../news-settings.js';

const DAY_MS = 24 * 3_600_000;
const LOOK_EVERY_MS = 10 * 60_000;
const ITEMS_AT_ONCE_MAX = 500;

/** Removes news that is older than `RETENTION_NEWS_DAYS`. */
@Injectable()
export class NewsRetention {
  readonly duty: BackgroundLoop | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly writer: NewsWriter,
    private readonly time: AgreedTime,
    settings: Settings,
  ) {
    const newsDays = settings.get(RETENTION_NEWS_DAYS);
    if (newsDays === undefined) return;
    const options = { name: 'NewsRetention', everyMs: LOOK_EVERY_MS, time };
    this.duty = new BackgroundLoop(options, () => this.removeNext(newsDays));
  }

  /** Returns whether there may be more. */
  async removeNext(days: number): Promise<boolean> {
    const before = new Date(this.time.nowMs() - days * DAY_MS);
    const removed = await this.dataSource.transaction((manager) =>
      this.writer.removeOlder(manager, before, ITEMS_AT_ONCE_MAX),
    );
    return removed === ITEMS_AT_ONCE_MAX;
  }
}
