import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Posts and pages of the blog with their categories, tags, authors and images. */
export class BlogBaseline1780000000630 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE blog_categories (
        category_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        slug text NOT NULL CONSTRAINT blog_categories_slug UNIQUE,
        name text NOT NULL
      );

      CREATE TABLE blog_tags (
        tag_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        slug text NOT NULL CONSTRAINT blog_tags_slug UNIQUE,
        name text NOT NULL
      );

      CREATE TABLE blog_authors (
        author_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        slug text NOT NULL CONSTRAINT blog_authors_slug UNIQUE,
        name text NOT NULL
      );

      -- Whether one can be seen is told by \`is_draft\` and \`published_at\` alone, at the moment of reading.
      CREATE TABLE blog_entries (
        entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('post', 'page')),
        slug text NOT NULL,
        title text NOT NULL,
        markdown text NOT NULL,
        html text NOT NULL,
        plain_text text NOT NULL,
        custom_excerpt text,
        excerpt text NOT NULL,
        reading_minutes integer NOT NULL,
        feature_image text,
        is_draft boolean NOT NULL,
        published_at timestamptz,
        category_id bigint REFERENCES blog_categories,
        author_id bigint NOT NULL REFERENCES blog_authors,
        version integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT blog_entries_slug UNIQUE (kind, slug),
        CONSTRAINT blog_entries_published_check CHECK (is_draft OR published_at IS NOT NULL)
      );
      CREATE INDEX blog_entries_published ON blog_entries (kind, published_at, entry_id);
      CREATE INDEX blog_entries_category ON blog_entries (category_id, published_at, entry_id);
      CREATE INDEX blog_entries_search ON blog_entries
        USING gin (to_tsvector('english', title || ' ' || plain_text));

      CREATE TABLE blog_entry_tags (
        entry_id bigint REFERENCES blog_entries ON DELETE CASCADE,
        position smallint,
        tag_id bigint NOT NULL REFERENCES blog_tags,
        PRIMARY KEY (entry_id, position),
        CONSTRAINT blog_entry_tags_tag UNIQUE (tag_id, entry_id)
      );

      CREATE TABLE blog_former_slugs (
        kind text,
        slug text,
        entry_id bigint NOT NULL REFERENCES blog_entries ON DELETE CASCADE,
        PRIMARY KEY (kind, slug)
      );
      CREATE INDEX blog_former_slugs_entry ON blog_former_slugs (entry_id);

      CREATE TABLE blog_images (
        image_name text PRIMARY KEY,
        size_bytes integer NOT NULL,
        uploaded_by text NOT NULL,
        created_at timestamptz NOT NULL
      );
      CREATE INDEX blog_images_created ON blog_images (created_at, image_name);

      -- Outlives entries: lists have changed when an entry is gone, too.
      CREATE TABLE blog_changes (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        changed_at timestamptz NOT NULL
      );
      INSERT INTO blog_changes (changed_at) VALUES (now());
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE blog_changes, blog_images, blog_former_slugs, blog_entry_tags, blog_entries, blog_authors,
        blog_tags, blog_categories;
    `);
  }
}
