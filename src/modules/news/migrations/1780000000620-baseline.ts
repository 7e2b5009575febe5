import type { MigrationInterface, QueryRunner } from 'typeorm';

/** News items, which operators write or feeds bring. */
export class NewsBaseline1780000000620 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE news_feeds (
        feed_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        url text NOT NULL CONSTRAINT news_feeds_url UNIQUE,
        current_url text NOT NULL,
        is_named boolean NOT NULL,
        is_gone boolean NOT NULL,
        title text,
        etag text,
        last_modified text,
        http_status smallint,
        problem text,
        failures integer NOT NULL,
        polled_at timestamptz(3),
        succeeded_at timestamptz(3),
        next_poll_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL
      );

      -- A removed item keeps its row, so that its feed does not bring it back. Its words are a column, not just
      -- an index: so the database knows which ones are common, and finds those by walking back in time.
      CREATE TABLE news_items (
        news_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        feed_id bigint REFERENCES news_feeds,
        headline text NOT NULL,
        summary text NOT NULL,
        content text NOT NULL,
        plain_text text NOT NULL,
        search tsvector,
        author text,
        url text,
        source text NOT NULL,
        category text,
        language text,
        published_at timestamptz(3) NOT NULL,
        content_hash text CONSTRAINT news_items_content UNIQUE,
        is_edited boolean NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        removed_at timestamptz(3)
      );
      CREATE INDEX news_items_published ON news_items (published_at, news_id) WHERE removed_at IS NULL;
      CREATE INDEX news_items_category ON news_items (category, published_at, news_id) WHERE removed_at IS NULL;
      CREATE INDEX news_items_source ON news_items (source, published_at, news_id) WHERE removed_at IS NULL;
      CREATE INDEX news_items_language ON news_items (language, published_at, news_id) WHERE removed_at IS NULL;
      CREATE INDEX news_items_search ON news_items USING gin (search) WHERE removed_at IS NULL;
      CREATE TRIGGER news_items_search BEFORE INSERT OR UPDATE OF headline, plain_text ON news_items FOR EACH ROW
        EXECUTE FUNCTION tsvector_update_trigger(search, 'pg_catalog.english', headline, plain_text);

      -- Lists by symbol read the index alone, so it has the time as well.
      CREATE TABLE news_item_symbols (
        news_id bigint REFERENCES news_items,
        symbol text,
        published_at timestamptz(3) NOT NULL,
        PRIMARY KEY (news_id, symbol)
      );
      CREATE INDEX news_item_symbols_symbol ON news_item_symbols (symbol, published_at, news_id);

      -- What each feed said last: an entry is looked at again only when it has changed.
      CREATE TABLE news_feed_entries (
        feed_id bigint REFERENCES news_feeds,
        guid_hash text,
        news_id bigint NOT NULL REFERENCES news_items,
        entry_hash text NOT NULL,
        PRIMARY KEY (feed_id, guid_hash)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE news_feed_entries, news_item_symbols, news_items, news_feeds;
    `);
  }
}
