import { Check, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { BlogAuthorEntity, BlogCategoryEntity, BlogTagEntity } from './blog-label.entity.js';

export const ENTRY_KINDS = ['post', 'page'] as const;

/** Posts come one after the other and are listed; pages stand by themselves. */
export type EntryKind = (typeof ENTRY_KINDS)[number];

/**
 * A post or a page. It can be seen from `publishedAt` on, by the clock of the database, unless it is a draft:
 * nothing has to happen at that moment.
 */
@Entity('blog_entries')
@Unique('blog_entries_slug', ['kind', 'slug'])
@Check('blog_entries_published_check', 'is_draft OR published_at IS NOT NULL')
@Index('blog_entries_published', ['kind', 'publishedAt', 'entryId'])
@Index('blog_entries_category', ['categoryId', 'publishedAt', 'entryId'])
// On an expression, which TypeORM cannot declare: the words of title and text, for full text search.
@Index('blog_entries_search', { synchronize: false })
export class BlogEntryEntity {
  @key.identity() readonly entryId: string;
  @column.text({ oneOf: ENTRY_KINDS }) kind: EntryKind;
  /** The end of its address. */
  @column.text() slug: string;
  @column.text() title: string;
  /** As it was written. */
  @column.text() markdown: string;
  /** What the Markdown renders to, sanitised; addresses of this service begin with `OWN_ORIGIN`. */
  @column.text() html: string;
  /** The words of the HTML, for the search. */
  @column.text() plainText: string;
  /** As the author wrote it; null where it is the beginning of the text. */
  @column.text({ nullable: true }) customExcerpt: string | null;
  @column.text() excerpt: string;
  @column.integer() readingMinutes: number;
  /** An address, written as in `html`. */
  @column.text({ nullable: true }) featureImage: string | null;
  @column.boolean() isDraft: boolean;
  /** To the millisecond; of a draft, when it is meant to be published, or once was. */
  @column.time({ nullable: true }) publishedAt: Date | null;
  @column.bigint({ nullable: true }) @ForeignKey(() => BlogCategoryEntity) categoryId: string | null;
  @column.bigint() @ForeignKey(() => BlogAuthorEntity) authorId: string;
  /** Counts the changes, from 1. */
  @column.integer() version: number;
  @column.time() createdAt: Date;
  @column.time() updatedAt: Date;
}

/** A tag of a post, at its place in the post's list. */
@Entity('blog_entry_tags')
@Unique('blog_entry_tags_tag', ['tagId', 'entryId'])
export class BlogEntryTagEntity {
  @key.bigint() @ForeignKey(() => BlogEntryEntity, { onDelete: 'CASCADE' }) entryId: string;
  /** From 0. */
  @key.smallint() position: number;
  @column.bigint() @ForeignKey(() => BlogTagEntity) tagId: string;
}

/**
 * A slug that an entry once had, and leads to it for good: past all its later names, until another entry
 * that had the slug in between gives it up as well.
 */
@Entity('blog_former_slugs')
export class BlogFormerSlugEntity {
  @key.text() kind: EntryKind;
  @key.text() slug: string;
  @column.bigint()
  @Index('blog_former_slugs_entry')
  @ForeignKey(() => BlogEntryEntity, { onDelete: 'CASCADE' })
  entryId: string;
}
