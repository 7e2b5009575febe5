import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Act } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { Filters } from '../../../kit/filters/filters.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { pageOf, type Page } from '../../../kit/http/pagination.js';
import { BlogEntryEntity } from '../entries/blog-entry.entity.js';
import type { ListAuthoredQueryDto } from '../entries/entry.dto.js';
import { EntryReader } from '../entries/entry-reader.js';
import { ENTRY_PATHS } from '../entries/entry-row.js';
import {
  beginWriting,
  deleteEntry,
  findForWriting,
  insertEntry,
  replaceEntry,
} from '../entries/entry-writer.js';
import { ensureAuthor } from '../entries/labels.js';
import type { RenderedText } from '../rendering/markdown.js';
import {
  toAuthoredPageDto,
  toPageSummaryDto,
  type AuthoredPageDto,
  type PageSummaryDto,
  WritePageDto,
} from './page.dto.js';
import { PAGE_IDS } from '../ids.js';

/** What only posts have. */
const BARE = { categoryId: null, featureImage: null, customExcerpt: null } as const;

/** Pages as operators write them. */
@Injectable()
export class PageAuthoringService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly answerTransaction: AnswerTransaction,
    private readonly entries: EntryReader,
    private readonly audit: AuditLog,
    private readonly filters: Filters,
  ) {}

  /** Throws `validation_failed` (400), `conflict` (409) for a slug that another page has, and what filters refuse with. */
  async create(writer: string, wanted: WritePageDto): Promise<AuthoredPageDto> {
    const body = await this.filters.pass('posts', wanted, { kind: 'page' }, WritePageDto);
    const text = await this.render(body);
    return this.answerTransaction.run(async (manager) => {
      const written = await this.insert(manager, writer, body, text);
      await this.record(manager, written.page_id, { slug: written.slug, status: written.status });
      return written;
    });
  }

  /** Creates a page with a chosen slug unless the slug exists. */
  async ensure(writer: string, body: WritePageDto & { readonly slug: string }): Promise<void> {
    const isKnown = await this.dataSource.manager.existsBy(BlogEntryEntity, {
      kind: 'page',
      slug: body.slug,
    });
    const text = await this.render(body);
    if (!isKnown) await this.dataSource.transaction((manager) => this.insert(manager, writer, body, text));
  }

  /** Throws `not_found` (404). */
  get(pageId: string): Promise<AuthoredPageDto> {
    return this.read(entryIdOf(pageId));
  }

  /** In whatever status, the newest first. Throws `invalid_cursor` (400). */
  async list(query: ListAuthoredQueryDto): Promise<Page<PageSummaryDto>> {
    const rows = await this.entries.listAuthored('page', query);
    return pageOf(
      rows,
      query.limit,
      (row) => [Number(row.entry_id)],
      (row) => toPageSummaryDto(row, this.config.publicUrl),
    );
  }

  /**
   * Replaces a page. Throws `not_found` (404), `precondition_failed` (412) where it is not the one that
   * `ifMatch` names, and what `create` throws.
   */
  async replace(pageId: string, ifMatch: string | undefined, wanted: WritePageDto): Promise<AuthoredPageDto> {
    const body = await this.filters.pass('posts', wanted, { kind: 'page' }, WritePageDto);
    const text = await this.render(body);
    return this.dataSource.transaction(async (manager) => {
      const now = await beginWriting(manager);
      const entry = await findForWriting(manager, 'page', entryIdOf(pageId), ifMatch, now);
      await replaceEntry(manager, entry, body, { ...text, ...BARE, authorId: entry.authorId }, now);
      const written = await this.read(entry.entryId, manager);
      await this.record(manager, pageId, { slug: written.slug, status: written.status });
      return written;
    });
  }

  /** Throws `not_found` (404), and `precondition_failed` (412) as `replace` does. */
  async remove(pageId: string, ifMatch: string | undefined): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const now = await beginWriting(manager);
      const entry = await findForWriting(manager, 'page', entryIdOf(pageId), ifMatch, now);
      await deleteEntry(manager, entry);
      await this.record(manager, pageId, { slug: entry.slug });
    });
  }

  private async insert(
    manager: EntityManager,
    writer: string,
    body: WritePageDto,
    text: RenderedText,
  ): Promise<AuthoredPageDto> {
    const now = await beginWriting(manager);
    const content = { ...text, ...BARE, authorId: await ensureAuthor(manager, writer) };
    return this.read(await insertEntry(manager, 'page', body, content, now), manager);
  }

  private record(manager: EntityManager, id: string, details: Act['details']): Promise<void> {
    return this.audit.record(manager, { target: { type: 'page', id }, details });
  }

  private async read(entryId: string | undefined, manager?: EntityManager): Promise<AuthoredPageDto> {
    return toAuthoredPageDto(await this.entries.get('page', entryId, manager), this.config.publicUrl);
  }

  /** Before the transaction, so that others need not wait for it. */
  private async render({ markdown }: WritePageDto): Promise<RenderedText> {
    const { renderMarkdown } = await import('../rendering/markdown.js');
    return renderMarkdown(markdown, { publicUrl: this.config.publicUrl, path: ENTRY_PATHS.page });
  }
}

function entryIdOf(pageId: string): string | undefined {
  return PAGE_IDS.parse(pageId)?.toString();
}
