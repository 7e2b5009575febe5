import type { RoomEvent } from '../records/chat-event.js';

/** How many events are kept for those who are only a little behind. */
const RECENT_MAX = 256;
/** How many events may wait for one that is missing; what is beyond comes from the log. */
const EARLY_MAX = 1_024;

/**
 * Puts the committed events of one room in the order of its log, in whatever order and however often they
 * come. Knows the latest of them by heart.
 */
export class RoomOrder {
  /** The highest sequence that is known to be in the log. */
  private highest: number;
  /** Committed, but their turn has not come. */
  private readonly early = new Map<number, RoomEvent>();
  /** The last ones up to the head, oldest first. */
  private readonly recent: RoomEvent[] = [];

  /** Begins behind the event with the sequence `headSequence`. */
  constructor(private headSequence: number) {
    this.highest = headSequence;
  }

  /** The sequence of the last event that has had its turn. */
  get head(): number {
    return this.headSequence;
  }

  /** Whether an event is missing that is in the log. */
  get hasGap(): boolean {
    return this.highest > this.headSequence;
  }

  /** Makes it known that the log goes at least this far. */
  expect(sequence: number): void {
    this.highest = Math.max(this.highest, sequence);
  }

  add(event: RoomEvent): void {
    if (event.sequence <= this.headSequence) return;
    this.expect(event.sequence);
    // The one that is waited for must find its place, however many wait.
    if (this.early.size < EARLY_MAX || event.sequence === this.headSequence + 1) {
      this.early.set(event.sequence, event);
    }
  }

  /** The event after the head, which thereby becomes the head; `undefined` while it is missing. */
  next(): RoomEvent | undefined {
    const event = this.early.get(this.headSequence + 1);
    if (event === undefined) return undefined;
    this.early.delete(event.sequence);
    this.headSequence = event.sequence;
    this.remember(event);
    return event;
  }

  /** At most `limit` events after `sequence`, oldest first; `undefined` where they are not known by heart. */
  after(sequence: number, limit: number): readonly RoomEvent[] | undefined {
    const start = sequence - (this.headSequence - this.recent.length);
    return start < 0 ? undefined : this.recent.slice(start, start + limit);
  }

  private remember(event: RoomEvent): void {
    // The log has lost the content of the message, so the cache must not serve it.
    if (event.type === 'message.deleted') this.recent.length = 0;
    this.recent.push(event);
    if (this.recent.length > RECENT_MAX) this.recent.shift();
  }
}
