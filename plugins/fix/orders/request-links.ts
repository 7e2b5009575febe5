/**
 * Which request of the client ended or replaced an order: a report of what happened names it. Held in memory: after a
 * break, an order is reported as cancelled under its own ClOrdID.
 */
export class RequestLinks {
  private readonly cancellations = new Map<string, string>();
  private readonly replacements = new Map<string, Replacement>();

  /** Returns what forgets the link, for requests that are refused. */
  cancelling(orderId: string, clOrdId: string): () => void {
    this.cancellations.set(orderId, clOrdId);
    return () => void this.cancellations.delete(orderId);
  }

  /** The same for an order that is replaced by the one of this ClOrdID. */
  replacing(replacement: Replacement, clOrdId: string): () => void {
    this.replacements.set(clOrdId, replacement);
    return () => void this.replacements.delete(clOrdId);
  }

  /** The ClOrdID of the request that cancelled an order; the link is forgotten. */
  takeCancellation(orderId: string): string | undefined {
    const clOrdId = this.cancellations.get(orderId);
    this.cancellations.delete(orderId);
    return clOrdId;
  }

  /** What the order of a ClOrdID replaces; the link is forgotten. */
  takeReplacement(clOrdId: string | null): Replacement | undefined {
    if (clOrdId === null) return undefined;
    const replacement = this.replacements.get(clOrdId);
    this.replacements.delete(clOrdId);
    return replacement;
  }
}

/** The order that goes. */
export interface Replacement {
  readonly orderId: string;
  readonly origClOrdId: string;
}
