import { Entity, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/** An uploaded image, for posts and pages to show. */
@Entity('blog_images')
@Index('blog_images_created', ['createdAt', 'imageName'])
export class BlogImageEntity {
  /** The name that the service made for it. */
  @key.text() imageName: string;
  @column.integer() sizeBytes: number;
  /** The key of the principal who sent it. */
  @column.text() uploadedBy: string;
  /** To the millisecond, as cursors name it. */
  @column.time() createdAt: Date;
}
