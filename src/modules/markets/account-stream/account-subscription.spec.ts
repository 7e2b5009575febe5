import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../../kit/realtime/connection.js';
import { type EncodedEvent, encodeEvent } from '../../../kit/realtime/encoded-event.js';
import type { AccountCursor, AccountPage } from './account-reader.js';
import { AccountSubscription } from './account-subscription.js';
import type { AccountEvent, AccountUpdate } from './account-stream.events.js';

const ACCOUNT = 7;
const CHANGES_PER_PAGE = 3;

function update(previous: number, sequence: number): AccountUpdate {
  return {
    type: 'account.update',
    account_id: 'acc',
    sequence,
    created_at: '',
    data: { previous_sequence: previous, orders: [], fills: [], balances: [] },
  };
}

/** An account of which nothing is known but how often it has changed; reads take turns of the event loop. */
class Tables {
  sequence = 5;
  turnsPerRead = 1;

  async next(_accountId: number, { sequence: offset }: AccountCursor): Promise<AccountPage> {
    await turns(this.turnsPerRead);
    const { sequence } = this;
    await turns(this.turnsPerRead);
    if (offset === undefined) {
      const data = { reason: 'subscribed', orders: [], balances: [], is_last: true } as const;
      const event = { type: 'account.snapshot', account_id: 'acc', sequence, created_at: '', data } as const;
      return { event: event as unknown as AccountEvent, cursor: { sequence }, isUpToDate: true };
    }
    const last = Math.min(sequence, offset + CHANGES_PER_PAGE);
    const event = last === offset ? null : update(offset, last);
    return { event, cursor: { sequence: last }, isUpToDate: last === sequence };
  }
}

/** A client that holds what it is told to its order, and is behind whenever the test says so. */
class Client extends Connection {
  isBehind = false;
  sequence: number | undefined;
  events = 0;
  private resume: (() => void) | undefined;

  whenCaughtUp(callback: () => void): void {
    expect(this.resume).toBeUndefined();
    this.resume = callback;
  }

  send({ json }: EncodedEvent): void {
    const event = JSON.parse(json) as AccountEvent;
    this.events++;
    if ('previous_sequence' in event.data) expect(event.data.previous_sequence).toBe(this.sequence);
    this.sequence = event.sequence;
  }

  drained(): Promise<void> {
    return turns(1);
  }

  fail(error: Error): string {
    throw error;
  }

  endSubscription(): void {
    throw new Error('Nothing ends a subscription to an account but its connection');
  }

  catchUp(): void {
    this.isBehind = false;
    const { resume } = this;
    this.resume = undefined;
    resume?.();
  }
}

function subscribe(offset: number | undefined, tables: Tables, client: Client): AccountSubscription {
  const subscription = new AccountSubscription(ACCOUNT, offset, tables, client, () => undefined);
  client.carry(subscription);
  return subscription;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

type Step = 'commit' | 'missed commit' | 'turn' | 'slow' | 'caught up';

describe('a subscription to an account', () => {
  it('is told everything once and in order, whatever happens at the same time', async () => {
    const step = fc.constantFrom<Step>(
      'commit',
      'commit',
      'commit',
      'missed commit',
      'turn',
      'slow',
      'caught up',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
        fc.integer({ min: 0, max: 3 }),
        fc.array(step, { maxLength: 60 }),
        async (offset, turnsPerRead, steps) => {
          const tables = new Tables();
          tables.turnsPerRead = turnsPerRead;
          const client = new Client();
          client.sequence = offset;
          const subscription = subscribe(offset, tables, client);
          subscription.resume();
          for (const each of steps) {
            if (each === 'commit') {
              tables.sequence++;
              // What can be read is told a turn later.
              const event = encodeEvent(update(tables.sequence - 1, tables.sequence));
              await turns(1);
              subscription.take(event);
            } else if (each === 'missed commit') {
              tables.sequence++;
              await turns(1);
              subscription.readAgain();
            } else if (each === 'turn') await turns(1);
            else if (each === 'slow') client.isBehind = true;
            else client.catchUp();
          }
          client.catchUp();
          await turns(300);
          expect(client.sequence).toBe(tables.sequence);
          expect(subscription.sequence).toBe(tables.sequence);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('reads again what does not fit into what may wait', async () => {
    const tables = new Tables();
    const client = new Client();
    client.sequence = 5;
    const subscription = subscribe(5, tables, client);
    tables.turnsPerRead = 5;
    subscription.resume();
    await turns(7);
    for (let i = 0; i < 1_000; i++) {
      tables.sequence++;
      subscription.take(encodeEvent(update(tables.sequence - 1, tables.sequence)));
    }
    tables.turnsPerRead = 0;
    await turns(2_000);
    expect(client.sequence).toBe(1_005);
  });

  it('is told nothing once it has ended', async () => {
    const tables = new Tables();
    const client = new Client();
    const subscription = subscribe(undefined, tables, client);
    const reading = subscription.bringUpToDate();
    subscription.end();
    await reading;
    subscription.take(encodeEvent(update(5, 6)));
    await subscription.bringUpToDate();
    expect(client.events).toBe(0);
  });
});
