import { Entity, Unique } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/** What a post is sorted under. */
@Entity('blog_categories')
@Unique('blog_categories_slug', ['slug'])
export class BlogCategoryEntity {
  @key.identity() readonly categoryId: string;
  @column.text() slug: string;
  /** As it was first written. */
  @column.text() name: string;
}

/** What a post is found by. */
@Entity('blog_tags')
@Unique('blog_tags_slug', ['slug'])
export class BlogTagEntity {
  @key.identity() readonly tagId: string;
  @column.text() slug: string;
  /** As it was first written. */
  @column.text() name: string;
}

/** Under whose name an entry stands, which need not be that of the operator who wrote it. */
@Entity('blog_authors')
@Unique('blog_authors_slug', ['slug'])
export class BlogAuthorEntity {
  @key.identity() readonly authorId: string;
  @column.text() slug: string;
  /** As it was first written. */
  @column.text() name: string;
}
