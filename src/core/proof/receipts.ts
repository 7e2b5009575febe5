import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { base64Of, hexOf } from '../../domain/proof/bytes.js';
import type { SignedJournalHead } from '../../domain/proof/journal-head.js';
import { inclusionPath } from '../../domain/proof/merkle-tree.js';
import type { Receipt } from '../../domain/proof/receipt.js';
import { type JournalLeaf, leafBytes, saltOf, type Statement } from '../../domain/proof/statement.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { presentOwner } from '../../kit/turns/owner.js';
import { TurnQueue } from '../../kit/turns/turn-queue.js';
import { type ArchivedRow, ArchivedRows } from '../journal/archived-rows.js';
import { readJournal } from '../journal/journal-reader.js';
import { newestRequest } from '../keys/command-keys.js';
import { PointInTime } from '../reads/point-in-time.js';
import { tablesOf } from './effect-tables.js';
import { JournalHeads } from './journal-heads.js';
import { JournalKeys } from './journal-keys.js';
import { JournalNotary } from './journal-notary.js';
import { inclusionProof, leafOfSequence, leavesAt, statementHashes } from './journal-tree.js';
import { Slices } from './slices.js';
import { RowStatements } from './statements.js';

/** More commits of one millisecond than any machine makes. */
const LEAVES_AT_ONCE_MAX = 100;
/** A step takes 100 rows; what is further behind has its receipt later. */
const STEPS_MAX = 4;

/** What is made at once: a receipt takes as much CPU as the whole commit that it is of, which may be of many owners. */
const BOUNDS = { runningMax: 2, ownerRunningMax: 1, waitingMax: 1_000, ownerWaitingMax: 200 };

/** Whose statement is asked for. */
export type Subject = { readonly accountId: number } | { readonly marketId: string };

/**
 * A receipt, or why there is none: the tree has not come to the row yet; there is no such row in the table, nor where it
 * can be read in the archive; or the archive has it and is damaged.
 */
export type ReceiptOutcome =
  | { readonly receipt: Receipt }
  | { readonly missing: 'pending' | 'none' | 'unreadable' };

/** Receipts of what is in the journal. */
@Injectable()
export class Receipts {
  private readonly making = new TurnQueue(BOUNDS);

  constructor(
    private readonly notary: JournalNotary,
    private readonly heads: JournalHeads,
    private readonly keys: JournalKeys,
    private readonly moments: PointInTime,
    private readonly archived: ArchivedRows,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** What the commit that holds a place of the ledger's sequence did to the subject. */
  async at(sequence: number, subject: Subject): Promise<ReceiptOutcome> {
    if (sequence > (await this.moments.present())) return { missing: 'none' };
    const head = await this.headCovering((head) => head.sequence >= sequence);
    if (head === null) return { missing: 'pending' };
    const leaf = await leafOfSequence(this.pool, sequence);
    if (leaf === null) return { missing: 'none' };
    return (await this.receiptOf(leaf, subject, () => true, head)) ?? { missing: 'none' };
  }

  /** The same of the last commit of a millisecond that did to the subject what is asked for. */
  async lastAt(
    timeMs: number,
    subject: Subject,
    matches: (statement: Statement) => boolean,
  ): Promise<ReceiptOutcome> {
    // Another commit of the same millisecond may still come.
    const head = await this.headCovering((head) => Date.parse(head.time) >= timeMs);
    if (head === null) return { missing: 'pending' };
    for (const leaf of await leavesAt(this.pool, timeMs, LEAVES_AT_ONCE_MAX)) {
      const found = await this.receiptOf(leaf, subject, matches, head);
      if (found !== null) return found;
    }
    return { missing: 'pending' };
  }

  /**
   * Of the newest commit that carried out one of these requests, by the owner and the keys under which they were sent; null
   * where none was carried out.
   */
  async ofRequests(owner: string, keys: readonly string[], subject: Subject): Promise<ReceiptOutcome | null> {
    await this.moments.present();
    const request = await newestRequest(this.pool, owner, keys);
    if (request === null) return null;
    const { transferId, timeMs } = request;
    if (transferId !== null) return this.at(transferId, subject);
    // What is only held has no place of its own in the sequence.
    return this.lastAt(timeMs, subject, ({ changes }) => changes.some(({ table }) => table === 'balances'));
  }

  /** The newest head, made at once where the newest does not cover what was committed before. */
  private async headCovering(
    covers: (head: SignedJournalHead) => boolean,
  ): Promise<SignedJournalHead | null> {
    for (let steps = 0; ; steps++) {
      const head = await this.heads.newest();
      if (head !== null && covers(head)) return head;
      if (steps === STEPS_MAX) return null;
      await this.notary.catchUp();
    }
  }

  private async receiptOf(
    leaf: JournalLeaf,
    subject: Subject,
    matches: (statement: Statement) => boolean,
    newest: SignedJournalHead,
  ): Promise<ReceiptOutcome | null> {
    return this.making.take(presentOwner(), () => this.make(leaf, subject, matches, newest));
  }

  private async make(
    leaf: JournalLeaf,
    subject: Subject,
    matches: (statement: Statement) => boolean,
    newest: SignedJournalHead,
  ): Promise<ReceiptOutcome | null> {
    const row = await this.rowOf(leaf);
    if ('missing' in row) return row;
    const statements = new RowStatements(tablesOf(row.entry));
    const owner = 'accountId' in subject ? subject.accountId : subject.marketId;
    const index = statements.owners.indexOf(owner);
    if (index < 0) return null;
    const statement = JSON.parse(statements.textOf(owner)) as Statement;
    if (!matches(statement)) return null;
    const rowSecret = (await this.keys.secrets()).ofRow(leaf.height);
    const hashes = await statementHashes(statements, rowSecret, new Slices());
    // The row may have been added after the head was read.
    const head = newest.tree_size >= leaf.height ? newest : (await this.heads.newest())!;
    return {
      receipt: {
        statement,
        salt: hexOf(saltOf(rowSecret, index)),
        statement_index: index,
        statement_proof: inclusionPath(hashes, index).map(hexOf),
        height: leaf.height,
        leaf: base64Of(leafBytes(leaf)),
        proof: await inclusionProof(this.pool, leaf.height, head.tree_size),
        head,
      },
    };
  }

  /** From the archive once it has left the table. */
  private async rowOf(leaf: JournalLeaf): Promise<ArchivedRow> {
    const { first_sequence: firstSequence, last_sequence: lastSequence } = leaf;
    const [entry] = await readJournal(this.pool, firstSequence - 1, 1, lastSequence);
    if (entry !== undefined) return { entry };
    return this.archived.find({
      firstSequence,
      lastSequence,
      timeMs: Date.parse(leaf.time),
      previousHash: leaf.previous_hash,
      hash: leaf.chain_hash,
    });
  }
}
