import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** What a post is sorted under. */
@Entity('blog_categories')
@Unique('blog_categories_slug', ['slug'])
export class BlogCategoryEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'category_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'blog_categories_pkey',
  })
  readonly categoryId: string;

  @Column({ name: 'slug', type: 'text' })
  slug: string;

  /** As it was first written. */
  @Column({ name: 'name', type: 'text' })
  name: string;
}

/** What a post is found by. */
@Entity('blog_tags')
@Unique('blog_tags_slug', ['slug'])
export class BlogTagEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'tag_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'blog_tags_pkey',
  })
  readonly tagId: string;

  @Column({ name: 'slug', type: 'text' })
  slug: string;

  /** As it was first written. */
  @Column({ name: 'name', type: 'text' })
  name: string;
}

/** Under whose name an entry stands, which need not be that of the operator who wrote it. */
@Entity('blog_authors')
@Unique('blog_authors_slug', ['slug'])
export class BlogAuthorEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'author_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'blog_authors_pkey',
  })
  readonly authorId: string;

  @Column({ name: 'slug', type: 'text' })
  slug: string;

  /** As it was first written. */
  @Column({ name: 'name', type: 'text' })
  name: string;
}
