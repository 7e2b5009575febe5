import type { ApiError } from '../http/errors.js';
import type { EncodedEvent } from './encoded-event.js';

/** A client's subscription on a connection. */
export interface Subscription {
  /** Distinguishes it from the others of its connection. */
  readonly key: string;
  /** The client is too slow: send nothing until it has caught up, and then what it missed. */
  pause(): void;
  /** Stops sending. Idempotent. */
  end(): void;
}

/**
 * A client's connection, whatever the transport. A socket carries many subscriptions, an event stream those of one
 * request. The backlog is bounded: subscriptions are paused while the client is behind, and a client that does not
 * catch up is disconnected.
 */
export abstract class Connection<Each extends Subscription = Subscription> {
  private readonly carried = new Map<string, Each>();
  private readonly closeListeners = new Set<() => void>();
  private closed = false;

  /** Whether the backlog exceeds its limit. */
  abstract readonly isBehind: boolean;

  abstract send(event: EncodedEvent): void;

  /** Resolves when the client may be sent another page. */
  abstract drained(): Promise<void>;

  /** Calls back once when a client that is behind has caught up, unless it disconnects before. */
  abstract whenCaughtUp(callback: () => void): void;

  /** Disconnects the client after what was sent, and says why. Returns the request id that the client is told. */
  abstract fail(error: ApiError): string;

  /**
   * One subscription is over: an event stream ends with it, a socket remains for the others. `reason` is null
   * where the client knows it already.
   */
  abstract endSubscription(reason: ApiError | null): void;

  get isClosed(): boolean {
    return this.closed;
  }

  get subscriptions(): ReadonlyMap<string, Each> {
    return this.carried;
  }

  /** Carries a subscription until it is released; it replaces the one with the same key. */
  carry(subscription: Each): void {
    this.carried.get(subscription.key)?.end();
    if (this.closed) subscription.end();
    else this.carried.set(subscription.key, subscription);
  }

  release(subscription: Each): void {
    if (this.carried.get(subscription.key) === subscription) this.carried.delete(subscription.key);
  }

  /** Calls the listener at once if the connection is closed already. */
  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.closeListeners.add(listener);
  }

  protected pauseAll(): void {
    for (const subscription of [...this.carried.values()]) subscription.pause();
  }

  protected close(): void {
    this.closed = true;
    for (const subscription of [...this.carried.values()]) subscription.end();
    for (const listener of this.closeListeners) listener();
  }
}
