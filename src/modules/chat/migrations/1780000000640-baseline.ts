import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rooms of the chat with their members, messages and reactions, and each room's log of events. */
export class ChatBaseline1780000000640 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- \`sequence\` is that of the last event. What changes a room locks its row first: the log has neither gaps
      -- nor repeats.
      CREATE TABLE chat_rooms (
        room_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        type text NOT NULL CHECK (type IN ('public', 'private', 'direct')),
        name text,
        direct_key text CONSTRAINT chat_rooms_direct_key UNIQUE,
        sequence bigint NOT NULL DEFAULT 0,
        members_count integer NOT NULL DEFAULT 0,
        created_by text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT chat_rooms_direct_check CHECK ((type = 'direct') = (direct_key IS NOT NULL)),
        CONSTRAINT chat_rooms_name_check CHECK ((type = 'direct') = (name IS NULL))
      );
      CREATE INDEX chat_rooms_public ON chat_rooms (room_id) WHERE type = 'public';
      CREATE INDEX chat_rooms_creator ON chat_rooms (created_by) WHERE type <> 'direct';

      CREATE TABLE chat_members (
        room_id bigint REFERENCES chat_rooms ON DELETE CASCADE,
        member_key text,
        role text NOT NULL CHECK (role IN ('owner', 'moderator', 'member')),
        notifications_muted boolean NOT NULL DEFAULT false,
        joined_sequence bigint NOT NULL,
        read_sequence bigint NOT NULL,
        joined_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (room_id, member_key),
        CONSTRAINT chat_members_joined UNIQUE (room_id, joined_sequence)
      );
      CREATE INDEX chat_members_member ON chat_members (member_key, room_id);

      CREATE TABLE chat_bans (
        room_id bigint NOT NULL REFERENCES chat_rooms ON DELETE CASCADE,
        member_key text NOT NULL,
        banned_until timestamptz(3) NOT NULL,
        reason text NOT NULL,
        banned_by text NOT NULL,
        banned_at timestamptz(3) NOT NULL,
        PRIMARY KEY (room_id, member_key)
      );

      CREATE TABLE chat_mutes (
        room_id bigint REFERENCES chat_rooms ON DELETE CASCADE,
        member_key text,
        muted_until timestamptz(3) NOT NULL,
        PRIMARY KEY (room_id, member_key)
      );

      CREATE TABLE chat_messages (
        message_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        room_id bigint NOT NULL REFERENCES chat_rooms ON DELETE CASCADE,
        sequence bigint NOT NULL,
        author_key text NOT NULL,
        client_message_id text,
        fingerprint text,
        parent_id bigint REFERENCES chat_messages ON DELETE CASCADE,
        text text,
        reply_count integer NOT NULL DEFAULT 0,
        reactions jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        edited_at timestamptz(3),
        deleted_at timestamptz(3),
        search tsvector,
        CONSTRAINT chat_messages_sequence UNIQUE (room_id, sequence),
        CONSTRAINT chat_messages_text_check CHECK ((text IS NULL) = (deleted_at IS NOT NULL))
      );
      CREATE UNIQUE INDEX chat_messages_client_id ON chat_messages (room_id, author_key, client_message_id)
        WHERE client_message_id IS NOT NULL;
      CREATE INDEX chat_messages_thread ON chat_messages (parent_id, sequence) WHERE parent_id IS NOT NULL;
      CREATE INDEX chat_messages_search ON chat_messages USING gin (search);
      CREATE INDEX chat_messages_author ON chat_messages (author_key, message_id);

      CREATE TABLE chat_reactions (
        message_id bigint REFERENCES chat_messages ON DELETE CASCADE,
        member_key text,
        emoji text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (message_id, member_key, emoji)
      );
      CREATE INDEX chat_reactions_member ON chat_reactions (member_key, message_id);

      CREATE TABLE chat_events (
        room_id bigint REFERENCES chat_rooms ON DELETE CASCADE,
        sequence bigint,
        type text NOT NULL,
        message_id bigint,
        data json NOT NULL,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (room_id, sequence)
      );
      CREATE INDEX chat_events_edits ON chat_events (message_id) WHERE type = 'message.updated';

      -- How far webhooks were told of each room that they ask for.
      CREATE TABLE chat_announced_rooms (
        room_id bigint PRIMARY KEY REFERENCES chat_rooms ON DELETE CASCADE,
        sequence bigint NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE chat_announced_rooms, chat_events, chat_reactions, chat_messages, chat_mutes, chat_bans,
        chat_members, chat_rooms;
    `);
  }
}
