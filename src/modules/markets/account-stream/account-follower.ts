import type { AccountPosition, AccountReader } from './account-reader.js';
import type { AccountEvent, AccountUpdate } from './account-stream.events.js';

/** How many events may wait while a client is told what came before them; beyond, they are read again. */
const WAITING_EVENTS_MAX = 256;

/** A client's end of a stream. */
export interface AccountReceiver {
  /** Whether more waits for the client than should. */
  readonly isBehind: boolean;
  /** Calls back once when a client that is behind has caught up, unless it is given up by then. */
  whenCaughtUp(callback: () => void): void;
  send(event: AccountEvent): void;
  /** Resolves when what was sent is on its way: pages are large, and wait for each other. */
  drained(): Promise<void>;
  /** The client cannot be told any more; it has to come back and say what it has. */
  fail(error: unknown): void;
}

/**
 * One client that follows one account. It is told what it lacks, page by page, and from then on every event:
 * those that were committed in the meantime wait, and begin exactly where the last page ends. A client that
 * reads too slowly is told nothing until it has caught up, and then what it has missed.
 */
export class AccountFollower {
  private state: 'resting' | 'reading' | 'live' | 'ended' = 'resting';
  private position: AccountPosition;
  private waiting: AccountUpdate[] = [];
  /** How often something was committed that does not wait here, and has to be read with the next page. */
  private misses = 0;
  /** Pages are being told, by one loop at a time. */
  private isTelling = false;

  /** `offset` is the last sequence that the client has; undefined where it has nothing. */
  constructor(
    readonly accountId: number,
    offset: number | undefined,
    private readonly reader: Pick<AccountReader, 'next'>,
    private readonly receiver: AccountReceiver,
  ) {
    this.position = { sequence: offset };
  }

  /** Up to here everything was sent; null where something is missing before it. */
  get sequence(): number | null {
    return this.state === 'live' ? this.position.sequence! : null;
  }

  /** Resolves once the client gets every event as it happens, cannot take any more, or is gone. */
  async bringUpToDate(): Promise<void> {
    if (this.state === 'ended') return;
    this.state = 'reading';
    this.misses++;
    if (this.isTelling) return;
    this.isTelling = true;
    try {
      while (this.isReading()) await this.tellNextPage();
    } catch (error) {
      this.state = 'resting';
      throw error;
    } finally {
      this.isTelling = false;
    }
  }

  /** The next event of the account, told to all who follow it. */
  take(event: AccountUpdate): void {
    if (this.state === 'live') this.tell(event);
    else if (this.state !== 'reading') return;
    else if (this.waiting.length < WAITING_EVENTS_MAX) this.waiting.push(event);
    else this.misses++;
  }

  /** Commits were missed, of which the tables know; a client that rests will be told what they say anyway. */
  readAgain(): void {
    if (this.state !== 'resting') this.resume();
  }

  /** Tells nothing more until the client has caught up. */
  rest(): void {
    if (this.state === 'ended' || this.state === 'resting') return;
    this.state = 'resting';
    this.receiver.whenCaughtUp(() => this.resume());
  }

  /** Brings up to date a client that can only be told that this failed. */
  resume(): void {
    this.bringUpToDate().catch((error: unknown) => {
      if (!this.isEnded()) this.receiver.fail(error);
    });
  }

  end(): void {
    this.state = 'ended';
    this.waiting = [];
  }

  private async tellNextPage(): Promise<void> {
    // What was told before the page is read is in it.
    this.waiting = [];
    const { misses } = this;
    const { event, position, isUpToDate } = await this.reader.next(this.accountId, this.position);
    if (!this.isReading()) return;
    if (event !== null) this.receiver.send(event);
    this.position = position;
    if (this.receiver.isBehind) this.rest();
    else if (isUpToDate && this.misses === misses) this.goLive();
    else await this.receiver.drained();
  }

  private goLive(): void {
    this.state = 'live';
    for (const event of this.waiting.splice(0)) this.take(event);
  }

  private tell(event: AccountUpdate): void {
    if (event.sequence <= this.position.sequence!) return;
    this.receiver.send(event);
    this.position = { sequence: event.sequence };
    if (this.receiver.isBehind) this.rest();
  }

  // The state changes while something is awaited, which the compiler does not see.
  private isEnded(): boolean {
    return this.state === 'ended';
  }

  private isReading(): boolean {
    return this.state === 'reading';
  }
}
