import { Check, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { NOW, column, key } from '../../kit/database/columns.js';
import { PetCategoryEntity, PetTagEntity } from './pet-label.entity.js';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** One animal in the shop. */
@Entity('pets')
@Check('pet_id BETWEEN 1 AND 9007199254740991')
@Index('pets_status', ['status', 'petId'])
export class PetEntity {
  /** The caller's choice, or the next free number of `pets_pet_id_seq`; a safe integer. */
  @key.bigint() petId: string;
  @column.text() name: string;
  @column.bigint({ nullable: true }) @ForeignKey(() => PetCategoryEntity) categoryId: string | null;
  @column.text({ oneOf: PET_STATUSES }) status: PetStatus;
  @column.time({ default: NOW }) readonly createdAt: Date;
}

/** A tag of a pet, at its place in the pet's list. */
@Entity('pet_tag_links')
@Unique('pet_tag_links_tag', ['tagId', 'petId'])
export class PetTagLinkEntity {
  @key.bigint() @ForeignKey(() => PetEntity, { onDelete: 'CASCADE' }) petId: string;
  /** From 0. */
  @key.smallint() position: number;
  @column.bigint() @ForeignKey(() => PetTagEntity) tagId: string;
}

/** A photo of a pet, at its place in the pet's list: an address elsewhere, or an image that is stored here. */
@Entity('pet_photos')
@Unique('pet_photos_image_name', ['imageName'])
@Check('pet_photos_source_check', 'num_nonnulls(url, image_name) = 1')
export class PetPhotoEntity {
  @key.bigint() @ForeignKey(() => PetEntity, { onDelete: 'CASCADE' }) petId: string;
  /** Ascending, with gaps where photos were taken away. */
  @key.smallint() position: number;
  /** As the client wrote it; null for a stored image. */
  @column.text({ nullable: true }) url: string | null;
  /** The name that the service made for the image; null for a photo elsewhere. */
  @column.text({ nullable: true }) imageName: string | null;
}
