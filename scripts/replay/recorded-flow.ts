import type { Side } from '../../src/domain/engine/types.js';

/** A GTC limit order of a recording; price and size are canonical decimals. */
export interface FlowOrder {
  /** As the recording names it: unique within it, and nothing to the service. */
  readonly id: string;
  readonly side: Side;
  readonly price: string;
  readonly size: string;
}

/** Something that happened on the recorded market. */
export type FlowEvent =
  | { readonly kind: 'create'; readonly order: FlowOrder }
  /** The order left the book; where it has been filled by then, nothing is left to cancel. */
  | { readonly kind: 'cancel'; readonly order: FlowOrder }
  /** Truth: what the recorded exchange matched. Canonical decimals. */
  | { readonly kind: 'trade'; readonly price: string; readonly size: string }
  /** Truth: the best prices of the recorded exchange at this moment; null where a side is empty. */
  | { readonly kind: 'top_of_book'; readonly bid: string | null; readonly ask: string | null };

/** The order flow of one market, in the order in which it happened. */
export interface RecordedFlow {
  /** For people: where it comes from. */
  readonly name: string;
  readonly tickSize: string;
  readonly lotSize: string;
  readonly events: readonly FlowEvent[];
}

/**
 * One way to write a flow down. To replay another exchange's recordings, implement this and add it to
 * `FLOW_FORMATS`.
 */
export interface FlowFormat {
  readonly name: string;
  /** Whether a file that begins with this line is of this format. */
  recognizes(firstLine: string): boolean;
  /** Reads all of a file. Throws FlowFormatError, which names the line, where it is not of the format. */
  read(lines: readonly string[]): Omit<RecordedFlow, 'name'>;
}

export class FlowFormatError extends Error {}
