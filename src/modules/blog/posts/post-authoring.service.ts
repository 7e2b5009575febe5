import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Act } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { storedUrl } from '../../../kit/content/own-origin.js';
import { Filters } from '../../../kit/filters/filters.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { pageOf, type Page } from '../../../kit/http/pagination.js';
import { BlogEntryEntity, BlogEntryTagEntity } from '../entries/blog-entry.entity.js';
import type { ListAuthoredQueryDto } from '../entries/entry.dto.js';
import { EntryReader } from '../entries/entry-reader.js';
import { ENTRY_PATHS } from '../entries/entry-row.js';
import {
  beginWriting,
  deleteEntry,
  findForWriting,
  insertEntry,
  replaceEntry,
  type EntryContent,
} from '../entries/entry-writer.js';
import { ensureAuthor, ensureCategory, ensureTags } from '../entries/labels.js';
import {
  toAuthoredPostDto,
  toPostSummaryDto,
  type AuthoredPostDto,
  type PostSummaryDto,
  WritePostDto,
} from './post.dto.js';
import { POST_IDS } from '../ids.js';

/** The derived content of a post, with its source. */
interface PreparedPost extends Omit<EntryContent, 'authorId' | 'categoryId'> {
  readonly body: WritePostDto;
}

/** Posts as operators write them. */
@Injectable()
export class PostAuthoringService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly answerTransaction: AnswerTransaction,
    private readonly entries: EntryReader,
    private readonly audit: AuditLog,
    private readonly filters: Filters,
  ) {}

  /**
   * Writes a new post, under the name of `writer` unless it names an author. Throws `validation_failed`
   * (400), `conflict` (409) for a slug that another post has, and what filters refuse with.
   */
  async create(writer: string, body: WritePostDto): Promise<AuthoredPostDto> {
    const post = await this.prepare(await this.filters.pass('posts', body, { kind: 'post' }, WritePostDto));
    return this.answerTransaction.run(async (manager) => {
      const written = await this.insert(manager, writer, post);
      await this.record(manager, written.post_id, { slug: written.slug, status: written.status });
      return written;
    });
  }

  /** Creates a post with a chosen slug unless the slug exists. */
  async ensure(writer: string, body: WritePostDto & { readonly slug: string }): Promise<void> {
    const isKnown = await this.dataSource.manager.existsBy(BlogEntryEntity, {
      kind: 'post',
      slug: body.slug,
    });
    const post = await this.prepare(body);
    if (!isKnown) await this.dataSource.transaction((manager) => this.insert(manager, writer, post));
  }

  /** Throws `not_found` (404). */
  get(postId: string): Promise<AuthoredPostDto> {
    return this.read(entryIdOf(postId));
  }

  /** In whatever status, the newest first. Throws `invalid_cursor` (400). */
  async list(query: ListAuthoredQueryDto): Promise<Page<PostSummaryDto>> {
    const rows = await this.entries.listAuthored('post', query);
    return pageOf(
      rows,
      query.limit,
      (row) => [Number(row.entry_id)],
      (row) => toPostSummaryDto(row, this.config.publicUrl),
    );
  }

  /**
   * Replaces a post. Throws `not_found` (404), `precondition_failed` (412) where it is not the one that
   * `ifMatch` names, and what `create` throws.
   */
  async replace(postId: string, ifMatch: string | undefined, wanted: WritePostDto): Promise<AuthoredPostDto> {
    const body = await this.filters.pass('posts', wanted, { kind: 'post' }, WritePostDto);
    const post = await this.prepare(body);
    return this.dataSource.transaction(async (manager) => {
      const now = await beginWriting(manager);
      const entry = await findForWriting(manager, 'post', entryIdOf(postId), ifMatch, now);
      const content = await contentOf(manager, post, () =>
        body.author == null ? entry.authorId : ensureAuthor(manager, body.author),
      );
      await replaceEntry(manager, entry, body, content, now);
      await replaceTags(manager, entry.entryId, body.tags);
      const written = await this.read(entry.entryId, manager);
      await this.record(manager, postId, { slug: written.slug, status: written.status });
      return written;
    });
  }

  /** Throws `not_found` (404), and `precondition_failed` (412) as `replace` does. */
  async remove(postId: string, ifMatch: string | undefined): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const now = await beginWriting(manager);
      const entry = await findForWriting(manager, 'post', entryIdOf(postId), ifMatch, now);
      await deleteEntry(manager, entry);
      await this.record(manager, postId, { slug: entry.slug });
    });
  }

  private async insert(manager: EntityManager, writer: string, post: PreparedPost): Promise<AuthoredPostDto> {
    const { body } = post;
    const now = await beginWriting(manager);
    const content = await contentOf(manager, post, () => ensureAuthor(manager, body.author ?? writer));
    const entryId = await insertEntry(manager, 'post', body, content, now);
    await replaceTags(manager, entryId, body.tags);
    return this.read(entryId, manager);
  }

  private record(manager: EntityManager, id: string, details: Act['details']): Promise<void> {
    return this.audit.record(manager, { target: { type: 'post', id }, details });
  }

  private async read(entryId: string | undefined, manager?: EntityManager): Promise<AuthoredPostDto> {
    return toAuthoredPostDto(await this.entries.get('post', entryId, manager), this.config.publicUrl);
  }

  /** Before the transaction, so that others need not wait for it. */
  private async prepare(body: WritePostDto): Promise<PreparedPost> {
    const { renderMarkdown } = await import('../rendering/markdown.js');
    const place = { publicUrl: this.config.publicUrl, path: ENTRY_PATHS.post };
    return {
      ...renderMarkdown(body.markdown, place),
      body,
      featureImage: body.feature_image == null ? null : this.imageOf(body.feature_image),
      customExcerpt: body.custom_excerpt ?? null,
    };
  }

  private imageOf(url: string): string {
    const stored = storedUrl(url, this.config.publicUrl, ENTRY_PATHS.post);
    if (stored !== undefined) return stored;
    throw ApiError.validation([
      {
        field: 'feature_image',
        message: 'feature_image must be a web address, such as one of an uploaded image',
      },
    ]);
  }
}

async function contentOf(
  manager: EntityManager,
  { body, ...prepared }: PreparedPost,
  author: () => string | Promise<string>,
): Promise<EntryContent> {
  return {
    ...prepared,
    categoryId: await ensureCategory(manager, body.category),
    authorId: await author(),
  };
}

async function replaceTags(
  manager: EntityManager,
  entryId: string,
  names: readonly string[] | null | undefined,
): Promise<void> {
  const tagIds = await ensureTags(manager, names);
  await manager.delete(BlogEntryTagEntity, { entryId });
  await manager.insert(
    BlogEntryTagEntity,
    tagIds.map((tagId, position) => ({ entryId, position, tagId })),
  );
}

function entryIdOf(postId: string): string | undefined {
  return POST_IDS.parse(postId)?.toString();
}
