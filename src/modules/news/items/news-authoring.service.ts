import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { storedUrl } from '../../../kit/content/own-origin.js';
import { slugOf } from '../../../kit/content/slug.js';
import { Filters } from '../../../kit/filters/filters.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { Texts } from '../../../kit/words/texts.js';
import { languageOf } from './language.js';
import { MarketSymbols } from './market-symbols.js';
import { NewsItemEntity, NewsItemSymbolEntity } from './news-item.entity.js';
import { toNewsItemDto, ChangeNewsDto, type NewsItemDto, WriteNewsDto } from './news-item.dto.js';
import { newsNotFound } from './news.service.js';
import { isBeginning, textOfWritten } from './news-text.js';
import { NewsWriter, type NewsItemContent } from './news-writer.js';
import { NEWS_ITEM_IDS } from '../ids.js';

const BY_OPERATORS = { feed: null };

/** Where relative addresses of items lead. */
const NEWS_PATH = '/news/';

/** What no item is without. */
const ESSENTIAL: readonly string[] = ['headline', 'source', 'published_at'];

/** News as operators write, change and remove it. */
@Injectable()
export class NewsAuthoringService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly answerTransaction: AnswerTransaction,
    private readonly symbols: MarketSymbols,
    private readonly writer: NewsWriter,
    private readonly audit: AuditLog,
    private readonly filters: Filters,
    private readonly texts: Texts,
  ) {}

  /**
   * Publishes an item. Throws `validation_failed` (400), `market_not_found` (404) for a symbol, and what filters refuse
   * with.
   */
  async create(wanted: WriteNewsDto): Promise<NewsItemDto> {
    const body = await this.filters.pass('news', wanted, BY_OPERATORS, WriteNewsDto);
    return this.answerTransaction.run(async (manager) => {
      const item = await this.insert(manager, body);
      await this.audit.record(manager, { target: { type: 'news', id: item.news_id } });
      return item;
    });
  }

  /** Publishes items, all or none of them, where operators have published none yet. */
  async ensure(bodies: readonly WriteNewsDto[]): Promise<void> {
    if (await this.dataSource.manager.existsBy(NewsItemEntity, { feedId: IsNull() })) return;
    await this.dataSource.transaction(async (manager) => {
      for (const body of bodies) await this.insert(manager, body);
    });
  }

  /** Changes an item; feeds no longer update it. Throws `not_found` (404) and what `create` throws. */
  async change(newsId: string, wanted: ChangeNewsDto): Promise<NewsItemDto> {
    requireEssentials(wanted);
    const body = await this.filters.pass('news', wanted, BY_OPERATORS, ChangeNewsDto);
    return this.dataSource.transaction(async (manager) => {
      const item = await findForWriting(manager, newsId);
      const now = new Date();
      await this.symbols.requireMarkets(manager, body.symbols ?? []);
      const content = this.contentOf({ ...(await writtenOf(manager, item)), ...definedOf(body) }, now);
      // The text that the feed brought stays known by its hash.
      const row = await this.writer.update(
        manager,
        item.newsId,
        { ...content, contentHash: item.contentHash },
        { isEdited: true, updatedAt: now },
      );
      const changed = Object.keys(definedOf(body));
      await this.audit.record(manager, { target: { type: 'news', id: newsId }, details: { changed } });
      return toNewsItemDto(row, this.config.publicUrl);
    });
  }

  /** Throws `not_found` (404). */
  async remove(newsId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const item = await findForWriting(manager, newsId);
      await this.writer.remove(manager, item.newsId, new Date());
      await this.audit.record(manager, { target: { type: 'news', id: newsId } });
    });
  }

  private async insert(manager: EntityManager, body: WriteNewsDto): Promise<NewsItemDto> {
    const now = new Date();
    await this.symbols.requireMarkets(manager, body.symbols ?? []);
    const row = await this.writer.insert(manager, null, this.contentOf(body, now), now);
    if (row === undefined) throw new Error('An item without a content hash is like no other.');
    return toNewsItemDto(row, this.config.publicUrl);
  }

  private contentOf(body: WriteNewsDto, now: Date): NewsItemContent {
    const { headline, summary, content, author, url, source, category, symbols, language } = body;
    return {
      ...textOfWritten({ headline, summary: summary ?? '', content: content ?? '' }, this.readAddress),
      author: author ?? null,
      url: url == null ? null : this.urlOf(url),
      source: source ?? this.texts.branding.name,
      category: category == null ? null : categoryOf(category),
      language: language == null ? null : (languageOf(language) ?? null),
      publishedAt: publishedAtOf(body, now),
      symbols: symbols ?? [],
      contentHash: null,
    };
  }

  private readonly readAddress = (address: string, schemes?: ReadonlySet<string>): string | undefined =>
    storedUrl(address, this.config.publicUrl, NEWS_PATH, schemes);

  private urlOf(url: string): string {
    const stored = this.readAddress(url);
    if (stored === undefined) throw refusal('url', 'must be a web address');
    return stored;
  }
}

function requireEssentials(body: object): void {
  const nulls = Object.entries(body).filter(([, value]) => value === null);
  const field = nulls.map(([name]) => name).find((name) => ESSENTIAL.includes(name));
  if (field !== undefined) throw refusal(field, 'must not be null');
}

async function findForWriting(manager: EntityManager, newsId: string): Promise<NewsItemEntity> {
  const id = NEWS_ITEM_IDS.parse(newsId)?.toString();
  const item =
    id === undefined
      ? null
      : await manager.findOne(NewsItemEntity, {
          where: { newsId: id, removedAt: IsNull() },
          lock: { mode: 'pessimistic_write' },
        });
  if (item === null) throw newsNotFound();
  return item;
}

/** An item as an operator would write it. */
async function writtenOf(manager: EntityManager, item: NewsItemEntity): Promise<WriteNewsDto> {
  const links = await manager.findBy(NewsItemSymbolEntity, { newsId: item.newsId });
  const { headline, summary, content, author, url, source, category, language, publishedAt } = item;
  return {
    ...{ headline, content, source },
    // One that was made of the content is made anew with it.
    ...(!isBeginning(summary, content) && { summary }),
    ...(author !== null && { author }),
    ...(url !== null && { url }),
    ...(category !== null && { category }),
    ...(language !== null && { language }),
    symbols: links.map(({ symbol }) => symbol),
    published_at: publishedAt.toISOString(),
  };
}

function definedOf(body: ChangeNewsDto): ChangeNewsDto {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function categoryOf(name: string): string {
  const slug = slugOf(name);
  if (slug === '') throw refusal('category', 'must have a letter or digit in it');
  return slug;
}

function publishedAtOf({ published_at }: WriteNewsDto, now: Date): Date {
  if (published_at == null) return now;
  const publishedAt = new Date(parseUtcTime(published_at) as number);
  if (publishedAt > now) throw refusal('published_at', 'must not lie ahead');
  return publishedAt;
}

function refusal(field: string, problem: string): ApiError {
  return ApiError.validation([{ field, message: `${field} ${problem}` }]);
}
