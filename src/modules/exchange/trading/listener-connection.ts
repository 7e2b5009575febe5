import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { ApiError } from '../../../kit/http/errors.js';
import { Connection } from '../../../kit/realtime/connection.js';
import type { EncodedEvent } from '../../../kit/realtime/encoded-event.js';
import type { AccountEvent } from '../../markets/account-stream/account-stream.events.js';
import type { AccountListener } from './trading.js';

/** A listener in this process, which is never behind. */
export class ListenerConnection extends Connection {
  private static readonly logger = new Logger(ListenerConnection.name);
  readonly isBehind = false;

  constructor(private readonly listener: AccountListener) {
    super();
  }

  override send({ json }: EncodedEvent): void {
    if (this.isClosed) return;
    try {
      // A copy of its own: others get the same event.
      this.listener.onEvent(JSON.parse(json) as AccountEvent);
    } catch (error) {
      this.giveUp(error);
    }
  }

  override drained(): Promise<void> {
    return Promise.resolve();
  }

  override whenCaughtUp(callback: () => void): void {
    callback();
  }

  override fail(error: ApiError): string {
    this.endSubscription(error);
    return randomUUID();
  }

  override endSubscription(reason: ApiError): void {
    if (this.isClosed) return;
    this.close();
    try {
      this.listener.onEnd(reason);
    } catch (error) {
      this.giveUp(error);
    }
  }

  /** Ends it without a word. */
  end(): void {
    if (!this.isClosed) this.close();
  }

  /** What a listener throws must not keep the commit from others. */
  private giveUp(error: unknown): void {
    ListenerConnection.logger.error({
      msg: 'a listener to an account has thrown, and is removed',
      err: error,
    });
    this.end();
  }
}
