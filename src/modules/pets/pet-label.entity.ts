import { Entity, Unique } from 'typeorm';
import { column, key } from '../../kit/database/columns.js';

/** What pets are sorted by, such as `Dogs`. Found by its name; never renamed, never deleted. */
@Entity('pet_categories')
@Unique('pet_categories_name', ['name'])
export class PetCategoryEntity {
  @key.identity() readonly categoryId: string;
  @column.text() readonly name: string;
}

/** A word that pets are found by. Found by its name; never renamed, never deleted. */
@Entity('pet_tags')
@Unique('pet_tags_name', ['name'])
export class PetTagEntity {
  @key.identity() readonly tagId: string;
  @column.text() readonly name: string;
}
