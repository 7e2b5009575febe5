import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pets with their categories, tags and photos. A category or tag is one row, whoever names it. */
export class PetsBaseline1780000000610 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE pet_categories (
        category_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL CONSTRAINT pet_categories_name UNIQUE
      );

      CREATE TABLE pet_tags (
        tag_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL CONSTRAINT pet_tags_name UNIQUE
      );

      CREATE SEQUENCE pets_pet_id_seq MAXVALUE 9007199254740991;
      CREATE TABLE pets (
        pet_id bigint PRIMARY KEY CHECK (pet_id BETWEEN 1 AND 9007199254740991),
        name text NOT NULL,
        category_id bigint REFERENCES pet_categories,
        status text NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX pets_status ON pets (status, pet_id);
      ALTER SEQUENCE pets_pet_id_seq OWNED BY pets.pet_id;

      CREATE TABLE pet_tag_links (
        pet_id bigint REFERENCES pets ON DELETE CASCADE,
        position smallint,
        tag_id bigint NOT NULL REFERENCES pet_tags,
        PRIMARY KEY (pet_id, position),
        CONSTRAINT pet_tag_links_tag UNIQUE (tag_id, pet_id)
      );

      -- Addresses elsewhere, or images that are stored here.
      CREATE TABLE pet_photos (
        pet_id bigint REFERENCES pets ON DELETE CASCADE,
        position smallint,
        url text,
        image_name text CONSTRAINT pet_photos_image_name UNIQUE,
        PRIMARY KEY (pet_id, position),
        CONSTRAINT pet_photos_source_check CHECK (num_nonnulls(url, image_name) = 1)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE pet_photos, pet_tag_links, pets, pet_tags, pet_categories;
    `);
  }
}
