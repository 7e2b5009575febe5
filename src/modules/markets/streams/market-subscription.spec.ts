import { Logger } from '@nestjs/common';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Broadcast } from '../../../kit/realtime/broadcast.js';
import { Connection } from '../../../kit/realtime/connection.js';
import { type EncodedEvent, encodeEvent } from '../../../kit/realtime/encoded-event.js';
import { MarketSubscription } from './market-subscription.js';
import { topicNameOf, topicOf } from './market-topic.js';

const TOPIC = topicOf('M', 'trades', 0);

/** A client that reads when a test says so. */
class Client extends Connection<MarketSubscription> {
  readonly sent: string[] = [];
  isBehind = false;
  /** The type of an event that is more than may wait. */
  tooLarge: string | undefined;
  readonly endings: unknown[] = [];
  private readonly waitingToCatchUp: (() => void)[] = [];

  send({ type, id }: EncodedEvent): void {
    this.sent.push(`${type} ${id}`);
    if (type === this.tooLarge) this.fallBehind();
  }

  fallBehind(): void {
    this.isBehind = true;
    this.pauseAll();
  }

  catchUp(): void {
    this.isBehind = false;
    for (const callback of this.waitingToCatchUp.splice(0)) callback();
  }

  hangUp(): void {
    this.close();
  }

  whenCaughtUp(callback: () => void): void {
    this.waitingToCatchUp.push(callback);
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  fail(error: Error): string {
    throw error;
  }

  endSubscription(reason: unknown): void {
    this.endings.push(reason);
  }
}

describe('a subscription to a market', () => {
  const broadcast = new Broadcast();
  let client: Client;
  let sequence: number;
  let snapshotFails: boolean;
  let forget: ReturnType<typeof vi.fn<() => void>>;
  let subscription: MarketSubscription;

  beforeEach(() => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    sequence = 1;
    snapshotFails = false;
    forget = vi.fn<() => void>();
    client = new Client();
    subscription = new MarketSubscription(TOPIC, {
      ready: Promise.resolve(),
      broadcast,
      snapshot: async (receive) => {
        await turn();
        if (snapshotFails) throw new Error('The database is away');
        receive(encodeEvent({ type: 'snapshot', sequence }));
      },
      forget,
    });
    subscription.connect(client);
  });
  afterEach(() => {
    subscription.end();
    vi.restoreAllMocks();
  });

  function send(): void {
    broadcast.send(topicNameOf(TOPIC), { type: 'update', sequence: ++sequence });
  }

  it('is sent a snapshot, and every event after it', async () => {
    send();
    const shown = subscription.show();
    send();
    await shown;
    send();
    expect(client.sent).toEqual(['snapshot 3', 'update 4']);
  });

  it('is sent nothing while the client is behind, and then a new snapshot', async () => {
    await subscription.show();
    client.fallBehind();
    send();
    await subscription.show();
    expect(client.sent).toEqual(['snapshot 1']);
    client.catchUp();
    await turn();
    send();
    expect(client.sent).toEqual(['snapshot 1', 'snapshot 2', 'update 3']);
  });

  it('waits with its first snapshot for a client that is behind', async () => {
    client.isBehind = true;
    await subscription.show();
    send();
    expect(client.sent).toEqual([]);
    client.catchUp();
    await turn();
    expect(client.sent).toEqual(['snapshot 2']);
  });

  it('sends a snapshot that is more than may wait once only', async () => {
    client.tooLarge = 'snapshot';
    await subscription.show();
    client.catchUp();
    await turn();
    send();
    expect(client.sent).toEqual(['snapshot 1', 'update 2']);
  });

  it('sends nothing more once the client has hung up, and is forgotten once', async () => {
    const shown = subscription.show();
    client.hangUp();
    await shown;
    send();
    subscription.end();
    expect(client.sent).toEqual([]);
    expect(forget).toHaveBeenCalledOnce();
  });

  it('is over where there is no snapshot', async () => {
    snapshotFails = true;
    await subscription.show();
    expect(client.endings).toEqual([null]);
  });
});
