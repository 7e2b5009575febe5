import type { LedgerTransfer, Trade } from '../../domain/engine/types.js';
import type { Statements } from '../database/transaction.js';
import { DurableConsumer } from './durable-consumer.js';

/** A commit of the ledger: all that it did happened at once. */
export interface LedgerCommit {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly timeMs: number;
  readonly trades: readonly Trade[];
  readonly transfers: readonly LedgerTransfer[];
}

/**
 * Where a consumer begins that has never run: with the first commit there ever was, with the first that is not archived yet,
 * or with the first after the start of the service.
 */
export type LedgerBeginning = 'the beginning' | 'what is kept' | 'now';

/**
 * Follows all trades and transfers of the ledger, as its journal has them. Override what is needed; a call has some in a row,
 * never none. Calls for the same commits are in one transaction: `commits`, then `trades`, then `transfers`. The tables of the
 * ledger hold all that is told, and maybe more.
 */
export abstract class LedgerConsumer extends DurableConsumer {
  readonly from: LedgerBeginning = 'the beginning';

  commits?(commits: readonly LedgerCommit[], transaction: Statements): Promise<void>;
  trades?(trades: readonly Trade[], transaction: Statements): Promise<void>;
  transfers?(transfers: readonly LedgerTransfer[], transaction: Statements): Promise<void>;
}
