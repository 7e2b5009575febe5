import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { PetCategoryEntity, PetTagEntity } from './pet-label.entity.js';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** One animal in the shop. */
@Entity('pets')
@Check('pets_pet_id_check', 'pet_id BETWEEN 1 AND 9007199254740991')
@Check('pets_status_check', `status IN ('available', 'pending', 'sold')`)
@Index('pets_status', ['status', 'petId'])
export class PetEntity {
  /** The caller's choice, or the next free number of `pets_pet_id_seq`; a safe integer. */
  @PrimaryColumn({ name: 'pet_id', type: 'bigint', primaryKeyConstraintName: 'pets_pkey' })
  petId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'category_id', type: 'bigint', nullable: true })
  categoryId: string | null;

  @ManyToOne(() => PetCategoryEntity)
  @JoinColumn({ name: 'category_id', foreignKeyConstraintName: 'pets_category_id_fkey' })
  readonly category?: PetCategoryEntity | null;

  @Column({ name: 'status', type: 'text' })
  status: PetStatus;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}

/** A tag of a pet, at its place in the pet's list. */
@Entity('pet_tag_links')
@Unique('pet_tag_links_tag', ['tagId', 'petId'])
export class PetTagLinkEntity {
  @PrimaryColumn({ name: 'pet_id', type: 'bigint', primaryKeyConstraintName: 'pet_tag_links_pkey' })
  petId: string;

  @ManyToOne(() => PetEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'pet_id', foreignKeyConstraintName: 'pet_tag_links_pet_id_fkey' })
  readonly pet?: PetEntity;

  /** From 0. */
  @PrimaryColumn({ name: 'position', type: 'smallint', primaryKeyConstraintName: 'pet_tag_links_pkey' })
  position: number;

  @Column({ name: 'tag_id', type: 'bigint' })
  tagId: string;

  @ManyToOne(() => PetTagEntity)
  @JoinColumn({ name: 'tag_id', foreignKeyConstraintName: 'pet_tag_links_tag_id_fkey' })
  readonly tag?: PetTagEntity;
}

/** A photo of a pet, at its place in the pet's list: an address elsewhere, or an image that is stored here. */
@Entity('pet_photos')
@Unique('pet_photos_image_name', ['imageName'])
@Check('pet_photos_source_check', 'num_nonnulls(url, image_name) = 1')
export class PetPhotoEntity {
  @PrimaryColumn({ name: 'pet_id', type: 'bigint', primaryKeyConstraintName: 'pet_photos_pkey' })
  petId: string;

  @ManyToOne(() => PetEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'pet_id', foreignKeyConstraintName: 'pet_photos_pet_id_fkey' })
  readonly pet?: PetEntity;

  /** Ascending, with gaps where photos were taken away. */
  @PrimaryColumn({ name: 'position', type: 'smallint', primaryKeyConstraintName: 'pet_photos_pkey' })
  position: number;

  /** As the client wrote it; null for a stored image. */
  @Column({ name: 'url', type: 'text', nullable: true })
  url: string | null;

  /** The name that the service made for the image; null for a photo elsewhere. */
  @Column({ name: 'image_name', type: 'text', nullable: true })
  imageName: string | null;
}
