/**
 * How money moves from one cell to another over a network that loses, delays, doubles and reorders:
 *
 *   1. hold     the sender holds the money under a key, then sends `credit` until it is answered;
 *   2. credit   the receiver decides each key once (credited or refused) and answers every repeat alike;
 *   3. release  the sender pays the hold out, or gives it back, by the first answer and ignores the others.
 *
 * A key is sender, receiver and a number that counts up on this link. Each `credit` tells how far the sender has
 * ended all its numbers, so the receiver can forget their verdicts and still ignore what comes late.
 *
 * Both sides are plain state without clock, chance or I/O. They belong to the durable state of a cell: they change
 * with its journal, and a message is sent only after the row that caused it is durable.
 */
export interface TransferRequest {
  /** The cell that is to be credited. */
  readonly to: string;
  readonly owner: string;
  readonly asset: string;
  readonly amount: string;
}

export interface OutgoingTransfer extends TransferRequest {
  /** Its place on the link to the receiver, from 1 on. */
  readonly number: number;
}

export type Verdict = 'credited' | 'refused';

export interface CreditMessage extends OutgoingTransfer {
  readonly kind: 'credit';
  readonly from: string;
  /** All transfers up to this number have ended at the sender. */
  readonly endedThrough: number;
}

export interface VerdictMessage {
  readonly kind: 'verdict';
  readonly from: string;
  readonly to: string;
  readonly number: number;
  readonly verdict: Verdict;
}

export type CellMessage = CreditMessage | VerdictMessage;

export function transferKey(from: string, to: string, number: number): string {
  return `${from}>${to}:${number}`;
}

/** The transfers that a cell has begun and not ended. */
export class OutgoingTransfers {
  private readonly links = new Map<
    string,
    { lastNumber: number; readonly open: Map<number, OutgoingTransfer> }
  >();

  constructor(readonly cell: string) {}

  /** The number that the next transfer on this link gets. */
  nextNumber(to: string): number {
    return (this.links.get(to)?.lastNumber ?? 0) + 1;
  }

  /** Call this once the money is held under the key of `nextNumber`. */
  start(request: TransferRequest): OutgoingTransfer {
    const transfer = { ...request, number: this.nextNumber(request.to) };
    const link = this.links.get(request.to) ?? { lastNumber: 0, open: new Map<number, OutgoingTransfer>() };
    this.links.set(request.to, link);
    link.lastNumber = transfer.number;
    link.open.set(transfer.number, transfer);
    return transfer;
  }

  /** The transfer if it is still open. */
  find(to: string, number: number): OutgoingTransfer | undefined {
    return this.links.get(to)?.open.get(number);
  }

  /** Call this once its hold has been paid or released. */
  end({ to, number }: OutgoingTransfer): void {
    this.links.get(to)?.open.delete(number);
  }

  creditFor(transfer: OutgoingTransfer): CreditMessage {
    return { kind: 'credit', from: this.cell, ...transfer, endedThrough: this.endedThrough(transfer.to) };
  }

  *open(): Generator<OutgoingTransfer> {
    for (const link of this.links.values()) yield* link.open.values();
  }

  private endedThrough(to: string): number {
    const link = this.links.get(to);
    if (link === undefined) return 0;
    // Numbers count up, so the first that is open is the lowest.
    const [lowestOpen] = link.open.keys();
    return (lowestOpen ?? link.lastNumber + 1) - 1;
  }
}

/** What a cell has decided about the transfers to it. */
export class IncomingTransfers {
  private readonly links = new Map<
    string,
    { endedThrough: number; readonly verdicts: Map<number, Verdict> }
  >();

  /** `ended` if the sender needs no answer any more; undefined if nothing is decided yet. */
  verdictOf({ from, number }: CreditMessage): Verdict | 'ended' | undefined {
    const link = this.links.get(from);
    if (link === undefined) return undefined;
    return number <= link.endedThrough ? 'ended' : link.verdicts.get(number);
  }

  /** Call this once for a key, in the same commit as the credit itself. */
  decide({ from, number, endedThrough }: CreditMessage, verdict: Verdict): void {
    const link = this.links.get(from) ?? { endedThrough: 0, verdicts: new Map<number, Verdict>() };
    this.links.set(from, link);
    link.verdicts.set(number, verdict);
    if (endedThrough <= link.endedThrough) return;
    link.endedThrough = endedThrough;
    for (const decided of link.verdicts.keys()) if (decided <= endedThrough) link.verdicts.delete(decided);
  }

  /** How many verdicts are remembered. */
  get remembered(): number {
    let count = 0;
    for (const { verdicts } of this.links.values()) count += verdicts.size;
    return count;
  }
}
