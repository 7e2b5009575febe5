/** A receipt: what one commit did to one account or market, and the way from there to a signed head. */
import { bytesOf, hashOf, hexOf, decodeUtf8 } from './bytes.js';
import { areEqual, leafHash, rootByInclusion } from './merkle-tree.js';
import { faultOfHead, type KnownKeys, type SignedJournalHead } from './journal-head.js';
import { type JournalLeaf, type Statement, statementHash } from './statement.js';

export interface Receipt {
  readonly statement: Statement;
  /** 32 bytes in hexadecimal digits. */
  readonly salt: string;
  /** The place of the statement among those of its journal row, from 0. */
  readonly statement_index: number;
  /** From the statement to the root in the leaf, the nearest first. */
  readonly statement_proof: readonly string[];
  /** The place of the journal row; the first one has 1. */
  readonly height: number;
  /** The row's leaf: RFC 8785 JSON of a `JournalLeaf`, in base64. */
  readonly leaf: string;
  /** From the leaf to the root of the head, the nearest first. */
  readonly proof: readonly string[];
  readonly head: SignedJournalHead;
}

export type CheckedReceipt =
  | { readonly ok: true; readonly statement: Statement; readonly leaf: JournalLeaf }
  | { readonly ok: false; readonly reason: string };

/** Checks a receipt from any source: whatever its members are, it says what is wrong and does not throw. */
export function checkReceipt(receipt: Receipt, keys: KnownKeys): CheckedReceipt {
  try {
    const { head, height } = receipt;
    const fault = faultOfHead(head, keys);
    if (fault !== null) return failed(fault);
    const bytes = bytesOf(receipt.leaf);
    const root = rootByInclusion(leafHash(bytes), height - 1, head.tree_size, receipt.proof.map(hashOf));
    if (root === null || !areEqual(root, hashOf(head.root_hash)))
      return failed('the proof does not lead from the leaf to the root of the head');
    const leaf = JSON.parse(decodeUtf8(bytes)) as JournalLeaf;
    if (leaf.height !== height) return failed('the leaf is that of another row');
    const { count, root_hash } = leaf.statements;
    const stated = rootByInclusion(
      statementHash(hashOf(receipt.salt), receipt.statement),
      receipt.statement_index,
      count,
      receipt.statement_proof.map(hashOf),
    );
    if (stated === null || hexOf(stated) !== root_hash)
      return failed('the statement is not one that the row has');
    return { ok: true, statement: receipt.statement, leaf };
  } catch (error) {
    return failed(`this is no receipt: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function failed(reason: string): CheckedReceipt {
  return { ok: false, reason };
}
