import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An uploaded image, for posts and pages to show. */
@Entity('blog_images')
@Index('blog_images_created', ['createdAt', 'imageName'])
export class BlogImageEntity {
  /** The name that the service made for it. */
  @PrimaryColumn({ name: 'image_name', type: 'text', primaryKeyConstraintName: 'blog_images_pkey' })
  imageName: string;

  @Column({ name: 'size_bytes', type: 'integer' })
  sizeBytes: number;

  /** The key of the principal who sent it. */
  @Column({ name: 'uploaded_by', type: 'text' })
  uploadedBy: string;

  /** To the millisecond, as cursors name it. */
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
