/** What every feed's events have in common. */
export interface FeedEvent {
  readonly type: string;
  /** Where the feed numbers its events; clients name the last one when they come back. */
  readonly sequence?: number;
}

/** An event as JSON, encoded once for all who get it, whatever carries it to them. */
export class EncodedEvent {
  private asText: string | undefined;

  constructor(
    readonly type: string,
    /** The value that a reconnecting client of an event stream sends as `Last-Event-ID`. */
    readonly id: number | undefined,
    readonly json: string,
  ) {}

  /** The form of server-sent events. */
  get text(): string {
    if (this.asText === undefined) {
      const idLine = this.id === undefined ? '' : `id: ${this.id}\n`;
      this.asText = `${idLine}event: ${this.type}\ndata: ${this.json}\n\n`;
    }
    return this.asText;
  }
}

export function encodeEvent(event: FeedEvent, id = event.sequence): EncodedEvent {
  return new EncodedEvent(event.type, id, JSON.stringify(event));
}
