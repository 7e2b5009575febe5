/**
 * Checks what a Tradepost service signs and gives out: heads of its journal, proofs of consistency, and receipts. Runs in
 * Node and in browsers, on the JSON as the service answered it, and never throws for what that contains.
 */
import { hashOf } from '../../../src/domain/proof/bytes.js';
import { contradicts, faultOfHead, type SignedJournalHead } from '../../../src/domain/proof/journal-head.js';
import {
  checkLiabilityProof,
  faultOfLiabilities,
  type LiabilityProof,
  type SignedLiabilities,
} from '../../../src/domain/proof/liability-proof.js';
import { isConsistent } from '../../../src/domain/proof/merkle-tree.js';
import { checkReceipt, type Receipt } from '../../../src/domain/proof/receipt.js';
import { knownKeys } from './known-keys.js';
import { failed, orFault, type Verified } from './verified.js';

export { type BookOrder, type ProvenPublicJournal, PublicJournal } from './public-journal.js';
export type { Verified } from './verified.js';

export interface ProvenReceipt {
  /** The number in the account's id; null for a market. */
  readonly accountId: number | null;
  readonly marketId: string | null;
  /** The rows that the commit wrote of it: table, kind, and the columns as docs/journal.md describes them. */
  readonly changes: readonly {
    readonly table: string;
    readonly kind: string;
    readonly row: Readonly<Record<string, unknown>>;
  }[];
  /** Which row of the journal, when it was committed, and the places of the ledger's sequence that it holds. */
  readonly height: number;
  readonly time: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** The size of the tree whose signed head the receipt leads to, and the key that signed. */
  readonly treeSize: number;
  readonly keyId: string;
}

/** `receipt` as any of the receipt routes answers it, `keys` as GET /journal/keys does. */
export function verifyReceipt(receipt: unknown, keys: unknown): Verified<ProvenReceipt> {
  const known = knownKeys(keys);
  if (typeof known === 'string') return failed(known);
  const checked = checkReceipt(receipt as Receipt, known);
  if (!checked.ok) return checked;
  const { statement, leaf } = checked;
  const { head } = receipt as Receipt;
  return {
    ok: true,
    accountId: statement.account_id ?? null,
    marketId: statement.market_id ?? null,
    changes: statement.changes,
    height: leaf.height,
    time: leaf.time,
    firstSequence: leaf.first_sequence,
    lastSequence: leaf.last_sequence,
    treeSize: head.tree_size,
    keyId: head.key_id,
  };
}

export interface ProvenHeads {
  readonly heads: number;
  /** The highest of them. */
  readonly height: number;
  readonly time: string;
  readonly sequence: number;
  readonly chainHash: string;
  readonly stateHash: string;
}

/**
 * That each head is signed, and that no two of them contradict each other; from whatever sources they come, in any order.
 */
export function verifyHeads(heads: readonly unknown[], keys: unknown): Verified<ProvenHeads> {
  const known = knownKeys(keys);
  if (typeof known === 'string') return failed(known);
  const byHeight = new Map<number, SignedJournalHead>();
  for (const [place, each] of heads.entries()) {
    const head = each as SignedJournalHead;
    const fault = orFault(() => faultOfHead(head, known));
    if (fault !== null) return failed(`head ${place + 1}: ${fault}`);
    const other = byHeight.get(head.height);
    if (other !== undefined && contradicts(head, other))
      return failed(
        `two signed heads of height ${head.height} contradict each other: keep both, they prove that the service lied`,
      );
    byHeight.set(head.height, head);
  }
  const inOrder = [...byHeight.values()].sort((a, b) => a.height - b.height);
  const last = inOrder.at(-1);
  if (last === undefined) return failed('there is no head');
  for (const [place, head] of inOrder.entries()) {
    const before = inOrder[place - 1];
    if (before !== undefined && before.sequence >= head.sequence)
      return failed(`the head of height ${head.height} is not after that of height ${before.height}`);
  }
  return {
    ok: true,
    heads: inOrder.length,
    height: last.height,
    time: last.time,
    sequence: last.sequence,
    chainHash: last.chain_hash,
    stateHash: last.state_hash,
  };
}

/**
 * That what the earlier head covers is the beginning of what the later one does: nothing was changed or taken out. `proof`
 * as GET /journal/proofs/consistency answers it for their sizes.
 */
export function verifyConsistency(
  earlier: unknown,
  later: unknown,
  proof: unknown,
  keys: unknown,
): Verified<ProvenHeads> {
  const signed = verifyHeads([earlier, later], keys);
  if (!signed.ok) return signed;
  const fault = orFault(() => {
    const path = (proof as { readonly proof: readonly unknown[] }).proof.map(hashOf);
    const [first, second] = [earlier, later].map((head) => {
      const { tree_size, root_hash } = head as SignedJournalHead;
      return { size: tree_size, root: hashOf(root_hash) };
    });
    return isConsistent(first!, second!, path)
      ? null
      : 'the proof does not lead from the earlier head to the later one';
  });
  return fault === null ? signed : failed(fault);
}

export interface ProvenLiability {
  readonly accountId: string;
  /** Decimals by asset: available and held together. */
  readonly balances: Readonly<Record<string, string>>;
  readonly asOf: string;
  readonly sequence: number;
}

/**
 * That what an account has is part of what the service says it owes. `proof` as GET /accounts/{account_id}/proof answers
 * it, `report` as GET /liabilities does for the same cut.
 */
export function verifyLiability(proof: unknown, report: unknown, keys: unknown): Verified<ProvenLiability> {
  const known = knownKeys(keys);
  if (typeof known === 'string') return failed(known);
  const published = report as SignedLiabilities;
  const fault = faultOfLiabilities(published, known);
  if (fault !== null) return failed(fault);
  const checked = checkLiabilityProof(proof as LiabilityProof, published);
  if (!checked.ok) return checked;
  return {
    ok: true,
    accountId: (proof as LiabilityProof).account_id,
    balances: checked.balances,
    asOf: published.as_of,
    sequence: published.sequence,
  };
}
