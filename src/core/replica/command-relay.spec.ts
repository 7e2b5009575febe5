import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, limit, openFloor, TestCore } from '../../../test/support/core.js';
import { TRACE, traceEverything } from '../../../test/support/fake-tracing.js';
import { createTestDatabase } from '../../../test/support/database.js';
import type { Ledger } from '../../../test/support/recording-core.js';
import { isRedisMissing, type TestRedis } from '../../../test/support/redis.js';
import { cancel, type Database, type LeadingProcess, RelaySite } from '../../../test/support/relay-site.js';
import type { Amount } from '../../domain/money/amount.js';
import { ServiceFailure } from '../../kit/coded-error.js';
import type { RedisLink } from '../../kit/redis/redis-link.js';
import { setTracing } from '../../kit/tracing/tracing.js';
import { handleFor } from '../../kit/turns/owner.js';
import type { ReceivingCore } from './command-receiver.js';
import type { CommandRelay, RelayOptions } from './command-relay.js';
import { COMMANDS_CHANNEL, relayNamespaceOf } from './relay-messages.js';

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error as ServiceFailure).code,
  );

describe.skipIf(isRedisMissing('the relay of commands'))('CommandRelay and CommandReceiver', () => {
  let site: RelaySite;
  let redis: TestRedis;
  let ledger: Ledger;
  let production: Database;

  beforeEach(async () => {
    site = await RelaySite.open();
    ({ redis, production, ledger } = site);
  });

  afterEach(() => site.close());

  const link = (): Promise<RedisLink> => site.link();
  const replica = async (options?: RelayOptions, own?: RedisLink): Promise<CommandRelay> =>
    (await site.replica(options, own)).relay;
  const leader = (epoch: number): Promise<LeadingProcess> => site.leader(epoch);

  it('answers many requests of two replicas at once, each in the order in which it was asked', async () => {
    await leader(3);
    const relays = [await replica(), await replica()];
    const orderIds = Array.from({ length: 500 }, (_, index) => index + 1);
    const answers = await Promise.all(
      relays.flatMap((relay, number) => orderIds.map((id) => relay.submit(cancel(id, number + 1)))),
    );
    expect(answers.map(({ answer }) => answer)).toEqual(
      [...orderIds, ...orderIds].map((transferId) => ({
        outcomes: [{ ok: true, result: { type: 'transfer', transferId } }],
        replayed: [false],
      })),
    );
    for (const accountId of [1, 2]) {
      const own = ledger.committed.filter((command) => command.accountId === accountId);
      expect(own.map(({ orderId }) => orderId)).toEqual(orderIds);
    }
    const [last] = answers.slice(-1);
    expect(last!.sequence).toBeGreaterThanOrEqual(500);
    expect(last!.sequence).toBeLessThanOrEqual(1000);
  });

  it('carries previews, quotes and amounts', async () => {
    await leader(1);
    const relay = await replica();
    expect(await relay.preview({ type: 'cancel_order', accountId: 1, orderId: 1 })).toEqual({
      answer: { remainingLots: 3, released: { asset: 'USD', amount: 10n ** 30n } },
      sequence: 0,
    });
    const terms = { accountId: 1, marketId: 'BTC-USD', side: 'buy', feeRates: null } as const;
    const staked = await relay.priceQuote({ ...terms, stake: (2n ** 80n) as Amount });
    expect(staked.answer).toMatchObject({ notional: 2n ** 80n });
    const sized = await relay.priceQuote({ ...terms, sizeLots: 7 });
    expect(sized.answer).toMatchObject({ sizeLots: 7, notional: -5n });
  });

  it('carries the trace of a command, so that the leader goes on with it', async () => {
    await leader(1);
    const relay = await replica();
    const carried = traceEverything();
    await relay.submit(cancel(1)).finally(() => setTracing(undefined));
    expect(carried).toContain(TRACE);
  });

  it('carries failures whole', async () => {
    await leader(1);
    const relay = await replica();
    const failure = await relay.submit(cancel(1, -1)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceFailure);
    expect(failure).toMatchObject({
      code: 'internal_error',
      message: 'Wrong.',
      retryAfterS: 7,
    });
  });

  it('sends to the next leader what the first left unanswered, which is run once', async () => {
    const relay = await replica();
    const first = await leader(1);
    first.core.hold();
    const answers = [1, 2, 3].map((id) => relay.submit(cancel(id)));
    await eventually(() => first.core.heldCount === 3, 'the first leader has them');
    // It commits them, and is gone before it can say so.
    first.core.leads = true;
    const lost = first.stop();
    first.core.release();
    first.core.leads = false;
    await lost;
    const second = await leader(2);
    const relayed = await Promise.all(answers);
    expect(relayed.map(({ answer }) => answer.replayed)).toEqual([[false], [false], [false]]);
    expect(ledger.committed.map(({ orderId }) => orderId)).toEqual([1, 2, 3]);
    // The former leader leaves the answer to the next one.
    expect((await relay.submit(cancel(4))).answer.outcomes[0]).toMatchObject({ ok: true });
    second.core.leads = false;
    const waiting = relay.submit(cancel(5));
    await leader(3);
    expect((await waiting).answer.outcomes[0]).toMatchObject({ ok: true });
  });

  it('takes the answer of the leader that was asked last, and never of one before', async () => {
    const relay = await replica();
    const first = await leader(1);
    first.core.hold();
    const answer = relay.submit(cancel(1, 0));
    await eventually(() => first.core.heldCount === 1, 'the first leader has it');
    const second = await leader(2);
    second.core.hold();
    await eventually(() => second.core.heldCount === 1, 'the second leader has it');
    first.core.release();
    await eventually(() => first.core.refused === 1, 'the first has refused it');
    second.core.refused = 10;
    second.core.release();
    expect((await answer).answer.outcomes).toEqual([
      { ok: false, refusal: { code: 'order_not_found', message: 'refusal 11' } },
    ]);
  });

  it('runs a refused command once, however often it is sent', async () => {
    const { core } = await leader(1);
    const relay = await replica({ resendMs: 100 });
    core.hold();
    const answer = relay.submit(cancel(1, 0));
    await eventually(() => core.heldCount === 1, 'the leader has it');
    const tap = await link();
    await tap.moveTo(relayNamespaceOf(production.leader!));
    let repeats = 0;
    await tap.subscribe(COMMANDS_CHANNEL, () => {
      repeats++;
    });
    await eventually(() => repeats >= 2, 'it was sent again');
    expect(core.heldCount).toBe(1);
    core.release();
    expect((await answer).answer.outcomes[0]).toMatchObject({ ok: false });
    expect(core.refused).toBe(1);
  });

  it('goes on by itself when Redis was killed', async () => {
    const { core } = await leader(1);
    const relay = await replica({ cutOffDeadlineMs: 60_000, deadlineMs: 60_000 });
    await relay.submit(cancel(1));
    core.hold();
    const sent = relay.submit(cancel(2));
    await eventually(() => core.heldCount === 1, 'the leader has it');
    await redis.kill();
    core.release();
    const unsent = relay.submit(cancel(3));
    await redis.revive();
    expect((await sent).answer).toMatchObject({ outcomes: [{ ok: true }], replayed: [false] });
    expect((await unsent).answer).toMatchObject({ outcomes: [{ ok: true }], replayed: [false] });
    expect(ledger.committed.map(({ orderId }) => orderId)).toEqual([1, 2, 3]);
  });

  it('leaves nobody waiting for an answer that was lost with Redis, and says how to find out', async () => {
    const { core } = await leader(1);
    const own = await link();
    // Only the outage can end the wait.
    const relay = await replica({ deadlineMs: 3_600_000, cutOffDeadlineMs: 300 }, own);
    core.hold();
    const inFlight = Promise.allSettled([1, 2, 3].map((id) => relay.submit(cancel(id))));
    await eventually(() => core.heldCount === 3, 'the leader has them');
    await redis.kill();
    await eventually(() => !own.isUp, 'the replica notices');
    expect(await codeOf(relay.submit(cancel(4)))).toBe('temporarily_unavailable');
    for (const { status, reason } of (await inFlight) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toMatchObject({
        code: 'outcome_unknown',
        message: expect.stringMatching(
          /same Idempotency-Key or client_order_id.*GET \/orders\?client_order_id=/,
        ) as string,
        retryAfterS: 1,
      });
    }
    core.release();
  });

  it('counts an outage that is over by now', async () => {
    const { core } = await leader(1);
    const relay = await replica({ deadlineMs: 3_600_000, cutOffDeadlineMs: 2_000, resendMs: 3_600_000 });
    core.hold();
    const inFlight = relay.submit(cancel(1));
    const code = codeOf(inFlight);
    await eventually(() => core.heldCount === 1, 'the leader has it');
    await redis.kill();
    await redis.revive();
    expect(await code).toBe('outcome_unknown');
    core.release();
  });

  it('says what it knows when it gives up', async () => {
    const own = await link();
    const relay = await replica({ deadlineMs: 600, cutOffDeadlineMs: 200 }, own);
    const nobody = relay.submit(cancel(1));
    await expect(nobody).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      retryAfterS: 1,
    });
    const { core } = await leader(1);
    await relay.submit(cancel(2));
    core.hold();
    const sent = relay.submit(cancel(3));
    await eventually(() => core.heldCount === 1, 'the leader has it');
    await expect(sent).rejects.toMatchObject({ code: 'outcome_unknown', retryAfterS: 1 });
    core.release();
    await redis.kill();
    await eventually(() => !own.isUp, 'the replica notices');
    expect(await codeOf(relay.submit(cancel(4)))).toBe('temporarily_unavailable');
    expect(await codeOf(relay.preview({ type: 'cancel_order', accountId: 1, orderId: 1 }))).toBe(
      'temporarily_unavailable',
    );
  });

  it('tells of a repeat by a key of the command, however often it was sent', async () => {
    const { core } = await leader(1);
    const relay = await replica({ resendMs: 20 });
    core.hold();
    const sent = relay.submit(cancel(1, -2));
    await eventually(() => core.heldCount === 1, 'it was received');
    // Long enough for the replica to send it again.
    await delay(300);
    core.release();
    expect((await sent).answer.replayed).toEqual([true]);
  });

  it('gives up in time when Redis is frozen, and goes on when it is not', async () => {
    await leader(1);
    const relay = await replica({ deadlineMs: 2_000, cutOffDeadlineMs: 200 });
    await relay.submit(cancel(1));
    redis.pause();
    expect(await codeOf(relay.submit(cancel(2)))).toBe('outcome_unknown');
    expect(await codeOf(relay.submit(cancel(3)))).toBe('temporarily_unavailable');
    redis.resume();
    await eventually(async () => (await codeOf(relay.submit(cancel(4)))) === 'answered', 'it goes on');
    expect(ledger.committed.map(({ orderId }) => orderId)).not.toContain(3);
    expect(ledger.committed.filter(({ orderId }) => orderId === 1)).toHaveLength(1);
  });

  it('lets only so many commands wait, and none when it has stopped', async () => {
    const relay = await replica({ waitingMax: 2 });
    const codes = [1, 2, 3].map((id) => codeOf(relay.submit(cancel(id))));
    expect(await codes[2]).toBe('temporarily_unavailable');
    await relay.stop();
    expect(await Promise.all(codes)).toEqual(codes.map(() => 'temporarily_unavailable'));
    expect(await codeOf(relay.submit(cancel(4)))).toBe('temporarily_unavailable');
  });

  it('leaves half of what may wait to others than one owner', async () => {
    const relay = await replica({ waitingMax: 4 });
    const ask = (name: string, id: number): Promise<string> =>
      handleFor({ user: { accountOwner: name } }, () => codeOf(relay.submit(cancel(id))));
    const own = [1, 2, 3].map((id) => ask('user:1', id));
    expect(await own[2]).toBe('too_many_in_flight');
    const others = [4, 5].map((id) => ask('user:2', id));
    await leader(1);
    expect(await Promise.all([...own.slice(0, 2), ...others])).toEqual(Array(4).fill('answered'));
    const codes = [6, 7].map((id) => ask('user:1', id));
    expect(await Promise.all(codes)).toEqual(['answered', 'answered']);
  });

  it('answers what it has begun when a leader stops, and nothing that comes later', async () => {
    const relay = await replica();
    const first = await leader(1);
    first.core.hold();
    const begun = relay.submit(cancel(1));
    await eventually(() => first.core.heldCount === 1, 'the leader has it');
    const stopped = first.stop();
    first.core.release();
    await stopped;
    expect((await begun).answer.replayed).toEqual([false]);
    const later = relay.submit(cancel(2));
    await leader(2);
    expect((await later).answer.outcomes[0]).toMatchObject({ ok: true });
  });

  it('sends on nothing that another replica has sent', async () => {
    const relay = await replica();
    const first = await leader(1);
    const passing = await replica();
    // Like a core that got the command but no longer leads.
    let passed = 0;
    first.core.submit = async (request) => {
      first.core.leads = false;
      return (await passing.submit(request).finally(() => passed++)).answer;
    };
    const answer = relay.submit(cancel(1));
    await eventually(() => passed === 1, 'the first leader has tried to pass it on');
    const { core } = await leader(2);
    expect((await answer).answer.outcomes[0]).toMatchObject({ ok: true });
    await passing.submit(cancel(2));
    expect(core.sequence).toBe(2);
    expect(ledger.committed.map(({ orderId }) => orderId)).toEqual([1, 2]);
  });

  it('refuses other versions, drops what is no message, and goes on', async () => {
    await leader(1);
    const sender = await link();
    await sender.moveTo(relayNamespaceOf(production.leader!));
    const heard: unknown[] = [];
    await sender.subscribe('answers:other', (payload) => heard.push(JSON.parse(payload.toString())));
    for (const rubbish of ['', 'null', '{}', '[1]', '{"version":2,"from":"other","ids":[1]}']) {
      expect(await sender.publish(COMMANDS_CHANNEL, rubbish)).toBe(1);
    }
    await sender.publish(COMMANDS_CHANNEL, '{"version":3,"from":"other","ids":[8,9],"tasks":{}}');
    await eventually(() => heard.length === 1, 'the newer version is answered');
    expect(heard[0]).toMatchObject({
      answers: [8, 9].map((id) => ({ id, error: { code: 'temporarily_unavailable' } })),
    });
    const relay = await replica();
    expect((await relay.submit(cancel(1))).answer.outcomes[0]).toMatchObject({ ok: true });
  });

  it('places an order once, although the leader that placed it was gone before it could answer', async () => {
    const database = await createTestDatabase();
    const core = await TestCore.start(database.url);
    const { ann } = await openFloor(core);
    const first: ReceivingCore = {
      submit: async (request) => {
        await core.sequencer.submit(request);
        return new Promise(() => undefined);
      },
      preview: (command) => core.sequencer.preview(command),
      priceQuote: (request) => core.sequencer.priceQuote(request),
      sequence: 0,
      get leads() {
        return core.sequencer.currentTerm !== null;
      },
    };
    const leading = await site.lead(first, core.sequencer.currentTerm!.epoch);
    const relay = await replica();
    const placed = relay.submit({ commands: [limit(ann, 'buy', 100, 1)] });
    const orders = (): Promise<object[]> => core.query('SELECT order_id FROM orders');
    await eventually(async () => (await orders()).length === 1, 'the first leader has placed it');
    await core.stop();
    await leading.stop();

    const next = await TestCore.start(database.url);
    try {
      const { sequencer } = next;
      const second: ReceivingCore = {
        submit: (request) => sequencer.submit(request),
        preview: (command) => sequencer.preview(command),
        priceQuote: (request) => sequencer.priceQuote(request),
        get sequence() {
          return sequencer.currentTerm?.sequence ?? 0;
        },
        get leads() {
          return sequencer.currentTerm !== null;
        },
      };
      const heir = await site.lead(second, sequencer.currentTerm!.epoch);
      const { answer, sequence } = await placed;
      const [{ order_id: orderId }] = (await orders()) as [{ order_id: string }];
      expect(answer).toEqual({
        outcomes: [{ ok: true, result: { type: 'order_reference', orderId: Number(orderId) } }],
        replayed: [false],
      });
      expect(sequence).toBe(sequencer.currentTerm!.sequence);
      expect(await orders()).toHaveLength(1);
      const other = await relay.submit({ commands: [limit(ann, 'buy', 101, 1)] });
      expect(other.answer.outcomes[0]).toMatchObject({ ok: true, result: { order: { fees: 0n } } });
      await heir.stop();
    } finally {
      await next.stop();
      await database.drop();
    }
  });
});
