import { Logger } from '@nestjs/common';
import type { ApiError } from '../../../kit/http/errors.js';
import { toApiError } from '../../../kit/server/exception.filter.js';
import type { Connection, Subscription } from '../../../kit/realtime/connection.js';
import { type EncodedEvent, encodeEvent } from '../../../kit/realtime/encoded-event.js';
import type { AccountCursor, AccountReader } from './account-reader.js';

/** How many events may wait while a client is sent what came before them; beyond, they are read again. */
const WAITING_EVENTS_MAX = 256;

/**
 * One client's subscription to one account. The client first gets the missing changes, page by page, and then every
 * event: events committed in the meantime are buffered, and continue exactly where the last page ends. A slow client
 * gets nothing until it has caught up, and then what it missed.
 */
export class AccountSubscription implements Subscription {
  private static readonly logger = new Logger(AccountSubscription.name);
  readonly key: string;
  private state: 'paused' | 'reading' | 'live' | 'ended' = 'paused';
  private cursor: AccountCursor;
  private waiting: EncodedEvent[] = [];
  /** How often something was committed that does not wait here, and has to be read with the next page. */
  private misses = 0;
  /** Pages are being sent, by one loop at a time. */
  private isSending = false;

  /** `offset` is the last sequence that the client has; undefined where it has nothing. */
  constructor(
    readonly accountId: number,
    offset: number | undefined,
    private readonly reader: Pick<AccountReader, 'next'>,
    private readonly connection: Connection,
    private readonly onEnd: () => void,
  ) {
    this.key = String(accountId);
    this.cursor = { sequence: offset };
  }

  /** Up to here everything was sent; null where something is missing before it. */
  get sequence(): number | null {
    return this.state === 'live' ? this.cursor.sequence! : null;
  }

  /** Resolves when the client gets live events, is too slow, or is gone. */
  async bringUpToDate(): Promise<void> {
    if (this.state === 'ended') return;
    this.state = 'reading';
    this.misses++;
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (this.isReading()) await this.sendNextPage();
    } catch (error) {
      if (!this.isEnded()) this.state = 'paused';
      throw error;
    } finally {
      this.isSending = false;
    }
  }

  /** The next event of the account, sent to all its subscriptions. Its id is its sequence. */
  take(event: EncodedEvent): void {
    if (this.state === 'live') this.send(event);
    else if (this.state !== 'reading') return;
    else if (this.waiting.length < WAITING_EVENTS_MAX) this.waiting.push(event);
    else this.misses++;
  }

  /** Commits were missed, of which the tables know; a paused client will be sent what they say anyway. */
  readAgain(): void {
    if (this.state !== 'paused') this.resume();
  }

  pause(): void {
    if (this.state === 'ended' || this.state === 'paused') return;
    this.state = 'paused';
    this.connection.whenCaughtUp(() => this.resume());
  }

  /** Brings up to date a client that can only be disconnected where this fails. */
  resume(): void {
    this.bringUpToDate().catch((error: unknown) => {
      if (this.isEnded()) return;
      const requestId = this.connection.fail(toApiError(error));
      AccountSubscription.logger.warn({
        err: error,
        request_id: requestId,
        msg: 'a subscription to an account has failed',
      });
    });
  }

  /** With a reason, the client is told why. */
  end(reason?: ApiError): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.waiting = [];
    this.connection.release(this);
    this.onEnd();
    if (reason !== undefined) this.connection.endSubscription(reason);
  }

  private async sendNextPage(): Promise<void> {
    // The page includes everything committed before it is read, so drop the buffer.
    this.waiting = [];
    const { misses } = this;
    const { event, cursor, isUpToDate } = await this.reader.next(this.accountId, this.cursor);
    if (!this.isReading()) return;
    if (event !== null) this.connection.send(encodeEvent(event));
    this.cursor = cursor;
    if (this.connection.isBehind) this.pause();
    else if (isUpToDate && this.misses === misses) this.goLive();
    else await this.connection.drained();
  }

  private goLive(): void {
    this.state = 'live';
    for (const event of this.waiting.splice(0)) this.take(event);
  }

  private send(event: EncodedEvent): void {
    const sequence = event.id!;
    if (sequence <= this.cursor.sequence!) return;
    this.connection.send(event);
    this.cursor = { sequence };
    if (this.connection.isBehind) this.pause();
  }

  // The state changes while something is awaited, which the compiler does not see.
  private isEnded(): boolean {
    return this.state === 'ended';
  }

  private isReading(): boolean {
    return this.state === 'reading';
  }
}
