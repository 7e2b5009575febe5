/**
 * What one commit did to one account or one market, as a text of its own. A journal row's leaf has the root over all its
 * statements, each with a salt, so that a receipt shows one of them and tells nothing of the others.
 */
import type { Json } from './canonical-json.js';
import { canonicalJson } from './canonical-json.js';
import { hexOf, utf8 } from './bytes.js';
import { leafHash } from './merkle-tree.js';
import type { PublicStand } from './public-journal.js';
import { sha256 } from './crypto.js';

/** One row of a table as the commit left it, or the columns that it changed. Amounts are text in units of 10^-18. */
export interface StatedChange {
  readonly table: string;
  /** `insert`, `append`, `replace`, or `change` where only some columns are given. */
  readonly kind: string;
  readonly row: Readonly<Record<string, Json>>;
}

/** Has either an account or a market. */
export interface Statement {
  /** The number in the account's id. */
  readonly account_id?: number;
  readonly market_id?: string;
  readonly changes: readonly StatedChange[];
}

const SALT = 'tradepost statement\n';

/** The salt of a statement follows from the secret of its row and its place there. */
export function saltOf(rowSecret: Uint8Array, index: number): Uint8Array {
  return sha256(SALT, rowSecret, `\n${index}`);
}

export function statementHash(salt: Uint8Array, statement: Statement): Uint8Array {
  return statementTextHash(salt, canonicalJson(statement as unknown as Json));
}

/** The same of its canonical text. */
export function statementTextHash(salt: Uint8Array, text: string): Uint8Array {
  return leafHash(salt, text);
}

/** The leaf of a journal row in the tree of all rows. */
export interface JournalLeaf {
  /** The place of the row in the journal; the first one has 1. */
  readonly height: number;
  readonly first_sequence: number;
  readonly last_sequence: number;
  readonly time: string;
  readonly engine_version: number;
  readonly previous_hash: string;
  /** The row's own hash in the chain, over all its content. */
  readonly chain_hash: string;
  readonly state_hash: string;
  readonly statements: { readonly count: number; readonly root_hash: string };
  readonly public: PublicStand;
}

export function leafBytes(leaf: JournalLeaf): Uint8Array {
  return utf8(canonicalJson(leaf as unknown as Json));
}

export function hashOfLeaf(bytes: Uint8Array): string {
  return hexOf(leafHash(bytes));
}
