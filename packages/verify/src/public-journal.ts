/**
 * Replays the public part of a journal, as GET /journal/public lists it: that its rows are those under a signed head, that
 * every trade was at the price and the turn of its maker, and that the books lead to the digest that was signed.
 */
import { hexOf } from '../../../src/domain/proof/bytes.js';
import { faultOfHead, type SignedJournalHead } from '../../../src/domain/proof/journal-head.js';
import { leafHash, TreeEnd } from '../../../src/domain/proof/merkle-tree.js';
import { publicHash, type PublicPart, publicText } from '../../../src/domain/proof/public-journal.js';
import { PublicReplay } from '../../../src/domain/proof/public-replay.js';
import { type JournalLeaf, leafBytes } from '../../../src/domain/proof/statement.js';
import { knownKeys } from './known-keys.js';
import { failed, orFault, type Verified } from './verified.js';

/** An order in a book: the number in its id, the pseudonym of its owner, ticks, lots and its place in the queue. */
export interface BookOrder {
  readonly order_id: number;
  readonly trader: string;
  readonly side: 'buy' | 'sell';
  readonly price_ticks: number;
  readonly size_lots: number;
  readonly queue_sequence: number;
}

export interface ProvenPublicJournal {
  /** Rows of the journal, and the trades and changes of orders in them. */
  readonly rows: number;
  readonly trades: number;
  readonly orderChanges: number;
  readonly markets: number;
  /** Orders that are in the books at the end. */
  readonly openOrders: number;
  readonly time: string;
  readonly sequence: number;
  readonly publicStateHash: string;
  /** Whether the journal begins with the first row that there ever was. */
  readonly isWhole: boolean;
}

/** Takes the rows one after the other, from the first on, and compares them with signed heads. */
export class PublicJournal {
  private readonly tree = new TreeEnd(0, []);
  private readonly replay = new PublicReplay();
  private first: JournalLeaf | null = null;
  private last: JournalLeaf | null = null;
  private fault: string | null = null;

  get height(): number {
    return this.tree.size;
  }

  /** The orders in a market's book after the last row, of each side the oldest place first. */
  ordersOf(marketId: string): BookOrder[] {
    return this.replay.ordersOf(marketId).sort((a, b) => a.queue_sequence - b.queue_sequence);
  }

  /** Why the next row cannot be one; null where it is. After a fault all that follows has it, too. */
  take(row: unknown): string | null {
    this.fault ??= orFault(() => this.faultOf(row));
    return this.fault;
  }

  /** That the rows taken so far are those under the head, whose height must be that of the last one. */
  verify(head: unknown, keys: unknown): Verified<ProvenPublicJournal> {
    const fault = this.fault ?? orFault(() => this.faultUnder(head as SignedJournalHead, keys));
    if (fault !== null) return failed(fault);
    const { trades, orders, openOrders, marketIds, stateHash } = this.replay;
    const { last_sequence, time } = this.last!;
    return {
      ok: true,
      rows: this.height,
      trades,
      orderChanges: orders,
      markets: marketIds.length,
      openOrders,
      time,
      sequence: last_sequence,
      publicStateHash: stateHash,
      isWhole: this.first!.first_sequence === 1,
    };
  }

  private faultOf(row: unknown): string | null {
    const { leaf, public: part } = row as { readonly leaf: JournalLeaf; readonly public: PublicPart | null };
    const { last } = this;
    const height = this.height + 1;
    if (leaf.height !== height) return `row ${height} is missing: the next one is ${String(leaf.height)}`;
    if (last !== null && leaf.first_sequence !== last.last_sequence + 1)
      return `row ${height} does not go on from sequence ${last.last_sequence}`;
    if (last !== null && leaf.previous_hash !== last.chain_hash)
      return `row ${height} does not continue the chain of rows`;
    if (leaf.public.hash !== (part === null ? null : publicHash(publicText(part))))
      return `the public part of row ${height} is not the one that its leaf names`;
    const fault = this.replay.take(leaf, part);
    if (fault !== null) return `row ${height}: ${fault}`;
    if (leaf.public.state_hash !== this.replay.stateHash)
      return `row ${height} leads to the books ${this.replay.stateHash}, and its leaf says ${leaf.public.state_hash}`;
    this.tree.append(leafHash(leafBytes(leaf)));
    this.first ??= leaf;
    this.last = leaf;
    return null;
  }

  private faultUnder(head: SignedJournalHead, keys: unknown): string | null {
    const known = knownKeys(keys);
    if (typeof known === 'string') return known;
    const fault = faultOfHead(head, known);
    if (fault !== null) return fault;
    if (head.tree_size !== this.height)
      return `the head is of ${head.tree_size} rows, and here are ${this.height}`;
    if (head.root_hash !== hexOf(this.tree.root)) return 'the rows do not lead to the root of the head';
    return head.public_state_hash === this.replay.stateHash
      ? null
      : 'the head has another digest of the books than its last row';
  }
}
