import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** What pets are sorted by, such as `Dogs`. Found by its name; never renamed, never deleted. */
@Entity('pet_categories')
@Unique('pet_categories_name', ['name'])
export class PetCategoryEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'category_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pet_categories_pkey',
  })
  readonly categoryId: string;

  @Column({ name: 'name', type: 'text' })
  readonly name: string;
}

/** A word that pets are found by. Found by its name; never renamed, never deleted. */
@Entity('pet_tags')
@Unique('pet_tags_name', ['name'])
export class PetTagEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'tag_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pet_tags_pkey',
  })
  readonly tagId: string;

  @Column({ name: 'name', type: 'text' })
  readonly name: string;
}
