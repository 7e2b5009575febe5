import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
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
@Check('blog_entries_kind_check', `kind IN ('post', 'page')`)
@Check('blog_entries_published_check', 'is_draft OR published_at IS NOT NULL')
@Index('blog_entries_published', ['kind', 'publishedAt', 'entryId'])
@Index('blog_entries_category', ['categoryId', 'publishedAt', 'entryId'])
// On an expression, which TypeORM cannot declare: the words of title and text, for full text search.
@Index('blog_entries_search', { synchronize: false })
export class BlogEntryEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'entry_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'blog_entries_pkey',
  })
  readonly entryId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: EntryKind;

  /** The end of its address. */
  @Column({ name: 'slug', type: 'text' })
  slug: string;

  @Column({ name: 'title', type: 'text' })
  title: string;

  /** As it was written. */
  @Column({ name: 'markdown', type: 'text' })
  markdown: string;

  /** What the Markdown renders to, sanitised; addresses of this service begin with `OWN_ORIGIN`. */
  @Column({ name: 'html', type: 'text' })
  html: string;

  /** The words of the HTML, for the search. */
  @Column({ name: 'plain_text', type: 'text' })
  plainText: string;

  /** As the author wrote it; null where it is the beginning of the text. */
  @Column({ name: 'custom_excerpt', type: 'text', nullable: true })
  customExcerpt: string | null;

  @Column({ name: 'excerpt', type: 'text' })
  excerpt: string;

  @Column({ name: 'reading_minutes', type: 'integer' })
  readingMinutes: number;

  /** An address, written as in `html`. */
  @Column({ name: 'feature_image', type: 'text', nullable: true })
  featureImage: string | null;

  @Column({ name: 'is_draft', type: 'boolean' })
  isDraft: boolean;

  /** To the millisecond; of a draft, when it is meant to be published, or once was. */
  @Column({ name: 'published_at', type: 'timestamptz', nullable: true })
  publishedAt: Date | null;

  @Column({ name: 'category_id', type: 'bigint', nullable: true })
  categoryId: string | null;

  @ManyToOne(() => BlogCategoryEntity)
  @JoinColumn({ name: 'category_id', foreignKeyConstraintName: 'blog_entries_category_id_fkey' })
  readonly category?: BlogCategoryEntity | null;

  @Column({ name: 'author_id', type: 'bigint' })
  authorId: string;

  @ManyToOne(() => BlogAuthorEntity)
  @JoinColumn({ name: 'author_id', foreignKeyConstraintName: 'blog_entries_author_id_fkey' })
  readonly author?: BlogAuthorEntity;

  /** Counts the changes, from 1. */
  @Column({ name: 'version', type: 'integer' })
  version: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}

/** A tag of a post, at its place in the post's list. */
@Entity('blog_entry_tags')
@Unique('blog_entry_tags_tag', ['tagId', 'entryId'])
export class BlogEntryTagEntity {
  @PrimaryColumn({ name: 'entry_id', type: 'bigint', primaryKeyConstraintName: 'blog_entry_tags_pkey' })
  entryId: string;

  @ManyToOne(() => BlogEntryEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'entry_id', foreignKeyConstraintName: 'blog_entry_tags_entry_id_fkey' })
  readonly entry?: BlogEntryEntity;

  /** From 0. */
  @PrimaryColumn({ name: 'position', type: 'smallint', primaryKeyConstraintName: 'blog_entry_tags_pkey' })
  position: number;

  @Column({ name: 'tag_id', type: 'bigint' })
  tagId: string;

  @ManyToOne(() => BlogTagEntity)
  @JoinColumn({ name: 'tag_id', foreignKeyConstraintName: 'blog_entry_tags_tag_id_fkey' })
  readonly tag?: BlogTagEntity;
}

/**
 * A slug that an entry once had, and leads to it for good: past all its later names, until another entry
 * that had the slug in between gives it up as well.
 */
@Entity('blog_former_slugs')
export class BlogFormerSlugEntity {
  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: 'blog_former_slugs_pkey' })
  kind: EntryKind;

  @PrimaryColumn({ name: 'slug', type: 'text', primaryKeyConstraintName: 'blog_former_slugs_pkey' })
  slug: string;

  @Column({ name: 'entry_id', type: 'bigint' })
  @Index('blog_former_slugs_entry')
  entryId: string;

  @ManyToOne(() => BlogEntryEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'entry_id', foreignKeyConstraintName: 'blog_former_slugs_entry_id_fkey' })
  readonly entry?: BlogEntryEntity;
}
