/** The Merkle tree over the journal's rows, as tables: a leaf for each row, and every subtree that is complete. */
import type { ClientBase, Pool } from 'pg';
import { invariant } from '../../domain/invariant.js';
import { hashOf, hexOf } from '../../domain/proof/bytes.js';
import {
  consistencyRanges,
  inclusionRanges,
  leafHash,
  type LeafRange,
  rootOf,
  rootOfLeaves,
  type Subtree,
  subtreesOf,
  TreeEnd,
} from '../../domain/proof/merkle-tree.js';
import { type JournalLeaf, leafBytes, saltOf, statementTextHash } from '../../domain/proof/statement.js';
import { PublicDigest, type PublicPart, type PublicStand } from '../../domain/proof/public-journal.js';
import type { EntryEffects } from '../journal/journal-reader.js';
import { pack, unpack } from '../journal/packing.js';
import { tablesOf } from './effect-tables.js';
import type { Pseudonyms } from './pseudonyms.js';
import { PublicBooks } from './public-books.js';
import { Slices } from './slices.js';
import { RowStatements } from './statements.js';

type Reader = Pick<Pool | ClientBase, 'query'>;

const INSERT_LEAVES = `
  INSERT INTO journal_leaves (height, first_sequence, last_sequence, committed_at, engine_version, previous_hash,
    chain_hash, state_hash, statements, statements_root, public_hash, public_state_hash)
  SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::timestamptz[], $5::int4[], $6::bytea[], $7::bytea[],
    $8::bytea[], $9::int4[], $10::bytea[], $11::bytea[], $12::bytea[])`;

const INSERT_PUBLIC = `
  INSERT INTO journal_public (height, content) SELECT * FROM unnest($1::int8[], $2::bytea[])`;

const INSERT_NODES = `
  INSERT INTO journal_nodes (level, index, hash) SELECT * FROM unnest($1::int2[], $2::int8[], $3::bytea[])`;

const LEAF_COLUMNS = `height, first_sequence, last_sequence, committed_at, engine_version, previous_hash, chain_hash,
  state_hash, statements, statements_root, public_hash, public_state_hash`;

interface LeafRow {
  readonly height: string;
  readonly first_sequence: string;
  readonly last_sequence: string;
  readonly committed_at: Date;
  readonly engine_version: number;
  readonly previous_hash: Buffer;
  readonly chain_hash: Buffer;
  readonly state_hash: Buffer;
  readonly statements: number;
  readonly statements_root: Buffer;
  readonly public_hash: Buffer | null;
  readonly public_state_hash: Buffer;
}

/** What only the service knows, and what follows from it for who checks. */
export interface JournalSecrets {
  /** The secret of a row, from which the salts of its statements follow. */
  readonly ofRow: (height: number) => Uint8Array;
  readonly pseudonyms: Pseudonyms;
}

/** Hashes of the statements of a row, in their order. */
export async function statementHashes(
  statements: RowStatements,
  rowSecret: Uint8Array,
  slices: Slices,
): Promise<Uint8Array[]> {
  const hashes: Uint8Array[] = [];
  for (const [index, owner] of statements.owners.entries()) {
    hashes.push(statementTextHash(saltOf(rowSecret, index), statements.textOf(owner)));
    if (slices.isOver) await slices.next();
  }
  return hashes;
}

/** Loads the end of the tree for who adds to it, in the transaction that does. */
export async function loadEnd(client: Reader): Promise<TreeEnd> {
  const size = await sizeOf(client);
  return new TreeEnd(size, await hashesOf(client, subtreesOf({ begin: 0, end: size })));
}

export async function sizeOf(client: Reader): Promise<number> {
  const { rows } = await client.query<{ size: string }>(
    'SELECT coalesce(max(height), 0) AS size FROM journal_leaves',
  );
  return Number(rows[0]!.size);
}

const NOTHING_PUBLIC = new PublicDigest().hex;

/** So much of what rows hold is worked on at a time, and then forgotten. */
const EFFECT_BYTES_AT_ONCE = 64 * 1024;

/** Adds a leaf for each row, in their order; answers the last one. */
export async function appendLeaves(
  client: ClientBase,
  end: TreeEnd,
  entries: readonly EntryEffects[],
  secrets: JournalSecrets,
): Promise<JournalLeaf> {
  const slices = new Slices();
  const sizeBefore = end.size;
  const before = await leafAt(client, sizeBefore);
  checkFollows(before, sizeBefore, entries[0]!);
  const digest = before?.public.state_hash ?? NOTHING_PUBLIC;
  const books = new PublicBooks(digest, secrets.pseudonyms);
  const publicParts: { readonly height: number; readonly content: Buffer }[] = [];
  const leaves: JournalLeaf[] = [];
  const nodes: (Subtree & { readonly hash: Uint8Array })[] = [];
  for (const some of portionsOf(entries)) {
    const rows = some.map(tablesOf);
    await books.load(client, rows.flat());
    for (const [place, entry] of some.entries()) {
      const height = end.size + 1;
      const { stand, text } = books.take(rows[place]!);
      if (text !== null) publicParts.push({ height, content: pack(Buffer.from(text)) });
      const statements = new RowStatements(rows[place]!);
      const hashes = await statementHashes(statements, secrets.ofRow(height), slices);
      const leaf = leafOf(entry, { height, hashes, stand });
      leaves.push(leaf);
      nodes.push(...end.append(leafHash(leafBytes(leaf))));
      if (slices.isOver) await slices.next();
    }
  }
  invariant(
    end.size === sizeBefore + entries.length && leaves.length === entries.length,
    'the tree has a leaf for each row of the journal',
    sizeBefore,
    end.size,
    entries.length,
  );
  await client.query(INSERT_LEAVES, [
    leaves.map(({ height }) => height),
    leaves.map(({ first_sequence }) => first_sequence),
    leaves.map(({ last_sequence }) => last_sequence),
    leaves.map(({ time }) => time),
    leaves.map(({ engine_version }) => engine_version),
    leaves.map(({ previous_hash }) => bufferOf(previous_hash)),
    leaves.map(({ chain_hash }) => bufferOf(chain_hash)),
    leaves.map(({ state_hash }) => bufferOf(state_hash)),
    leaves.map(({ statements }) => statements.count),
    leaves.map(({ statements }) => bufferOf(statements.root_hash)),
    leaves.map(({ public: { hash } }) => hash && bufferOf(hash)),
    leaves.map(({ public: { state_hash } }) => bufferOf(state_hash)),
  ]);
  await client.query(INSERT_PUBLIC, [
    publicParts.map(({ height }) => height),
    publicParts.map(({ content }) => content),
  ]);
  await books.store(client);
  await client.query(INSERT_NODES, [
    nodes.map(({ level }) => level),
    nodes.map(({ index }) => index),
    nodes.map(({ hash }) => Buffer.from(hash)),
  ]);
  return leaves.at(-1)!;
}

/** A tree may begin with any row, and from then on has every one. */
function checkFollows(before: JournalLeaf | null, size: number, entry: EntryEffects): void {
  invariant((before === null) === (size === 0), 'the last leaf of the tree is there', size);
  if (before === null) return;
  invariant(
    entry.firstSequence === before.last_sequence + 1 && entry.previousHash === before.chain_hash,
    'a leaf follows the row before it',
    before.last_sequence,
    entry.firstSequence,
  );
}

function* portionsOf(entries: readonly EntryEffects[]): Iterable<EntryEffects[]> {
  let portion: EntryEffects[] = [];
  let bytes = 0;
  for (const entry of entries) {
    portion.push(entry);
    bytes += entry.effects?.length ?? 0;
    if (bytes < EFFECT_BYTES_AT_ONCE) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}

interface LeafParts {
  readonly height: number;
  /** Of the row's statements. */
  readonly hashes: readonly Uint8Array[];
  readonly stand: PublicStand;
}

function leafOf(entry: EntryEffects, { height, hashes, stand }: LeafParts): JournalLeaf {
  return {
    height,
    first_sequence: entry.firstSequence,
    last_sequence: entry.lastSequence,
    time: new Date(entry.timeMs).toISOString(),
    engine_version: entry.engineVersion,
    previous_hash: entry.previousHash,
    chain_hash: entry.hash,
    state_hash: entry.stateHash,
    statements: {
      count: hashes.length,
      root_hash: hexOf(rootOfLeaves(hashes)),
    },
    public: stand,
  };
}

export async function leafAt(client: Reader, height: number): Promise<JournalLeaf | null> {
  const { rows } = await client.query<LeafRow>(
    `SELECT ${LEAF_COLUMNS} FROM journal_leaves WHERE height = $1`,
    [height],
  );
  return rows[0] === undefined ? null : toLeaf(rows[0]);
}

/** The leaf of the row that holds a sequence; null where the tree does not go that far. */
export async function leafOfSequence(client: Reader, sequence: number): Promise<JournalLeaf | null> {
  const { rows } = await client.query<LeafRow>(
    `SELECT ${LEAF_COLUMNS} FROM journal_leaves WHERE last_sequence >= $1 ORDER BY last_sequence LIMIT 1`,
    [sequence],
  );
  const [row] = rows;
  return row === undefined || Number(row.first_sequence) > sequence ? null : toLeaf(row);
}

/** The leaves of rows that were committed in one millisecond, the last one first. */
export async function leavesAt(client: Reader, timeMs: number, limit: number): Promise<JournalLeaf[]> {
  const { rows } = await client.query<LeafRow>(
    `SELECT ${LEAF_COLUMNS} FROM journal_leaves WHERE committed_at = $1 ORDER BY height DESC LIMIT $2`,
    [new Date(timeMs), limit],
  );
  return rows.map(toLeaf);
}

function toLeaf(row: LeafRow): JournalLeaf {
  return {
    height: Number(row.height),
    first_sequence: Number(row.first_sequence),
    last_sequence: Number(row.last_sequence),
    time: row.committed_at.toISOString(),
    engine_version: row.engine_version,
    previous_hash: row.previous_hash.toString('hex'),
    chain_hash: row.chain_hash.toString('hex'),
    state_hash: row.state_hash.toString('hex'),
    statements: { count: row.statements, root_hash: row.statements_root.toString('hex') },
    public: {
      hash: row.public_hash && row.public_hash.toString('hex'),
      state_hash: row.public_state_hash.toString('hex'),
    },
  };
}

/** A row of the journal as anyone may see it; `public` is null where the commit changed no market. */
export interface PublicJournalRow {
  readonly leaf: JournalLeaf;
  readonly public: PublicPart | null;
}

/** The public parts of rows from a height on: at least one, and no more than fit the bytes, packed as they are kept. */
export async function publicRows(
  client: Reader,
  from: number,
  { limit, bytesMax }: { readonly limit: number; readonly bytesMax: number },
): Promise<PublicJournalRow[]> {
  const { rows } = await client.query<LeafRow & { readonly content: Buffer | null }>(
    `WITH leaves AS (
       SELECT ${LEAF_COLUMNS} FROM journal_leaves WHERE height >= $1 ORDER BY height LIMIT $2
     ), parts AS (
       SELECT leaves.*, content, sum(coalesce(octet_length(content), 0)) OVER (ORDER BY height) AS bytes
       FROM leaves LEFT JOIN (
         SELECT height, content FROM journal_public WHERE height >= $1 ORDER BY height LIMIT $2
       ) contents USING (height)
     )
     SELECT * FROM parts WHERE bytes <= $3 OR height = $1 ORDER BY height`,
    [from, limit, bytesMax],
  );
  return rows.map((row) => ({
    leaf: toLeaf(row),
    public: row.content && (JSON.parse(unpack(row.content).toString()) as PublicPart),
  }));
}

/** The path from a leaf to the root of a tree of `size` leaves. */
export function inclusionProof(client: Reader, height: number, size: number): Promise<string[]> {
  return proofOf(client, inclusionRanges(height - 1, size));
}

/** What proves that the tree of `second` leaves begins with that of `first`. */
export function consistencyProof(client: Reader, first: number, second: number): Promise<string[]> {
  return proofOf(client, consistencyRanges(first, second));
}

/** One query for all nodes that the ranges are made of: some for each level of the tree. */
async function proofOf(client: Reader, ranges: readonly LeafRange[]): Promise<string[]> {
  const parts = ranges.map(subtreesOf);
  const hashes = await hashesOf(client, parts.flat());
  let begin = 0;
  return parts.map(({ length }) => hexOf(rootOf(hashes.slice(begin, (begin += length)))));
}

async function hashesOf(client: Reader, subtrees: readonly Subtree[]): Promise<Uint8Array[]> {
  if (subtrees.length === 0) return [];
  const { rows } = await client.query<{ hash: Buffer }>(
    `SELECT hash FROM unnest($1::int2[], $2::int8[]) WITH ORDINALITY AS asked (level, index, place)
     JOIN journal_nodes USING (level, index) ORDER BY place`,
    [subtrees.map(({ level }) => level), subtrees.map(({ index }) => index)],
  );
  if (rows.length < subtrees.length) throw new Error('the tree of the journal lacks nodes');
  return rows.map(({ hash }) => hash);
}

function bufferOf(hex: string): Buffer {
  return Buffer.from(hashOf(hex));
}
