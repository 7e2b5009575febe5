/**
 * What a plugin does about what has happened, in order and exactly once: its writes are in the transaction that notes how far
 * it is. A `LedgerConsumer` follows the ledger, a `DurableListener` the events that webhooks tell.
 *
 * It runs on one process at a time. Where it throws, nothing of the call stays, and the same comes again after a pause, first
 * of a second, then twice as long each time, up to a minute. Nobody waits for it: neither orders nor other consumers.
 */
export abstract class DurableConsumer {
  /** Lower-case words with hyphens, once within its plugin. Its place is kept under it, so keep it. */
  abstract readonly name: string;
  /** A call that takes longer has failed. */
  readonly timeLimitMs: number = 30_000;
}
