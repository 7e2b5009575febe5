import type { PlaceOrder, QuotedSide } from '../../src/domain/engine/commands.js';
import { event } from './domain/markets.js';
import { EVENT, type Floor, limit, SPOT, type TestCore } from './core.js';
import { randomsFrom } from './hostile-values.js';

/**
 * Orders, fills and cancellations in both markets, some with keys, and an accepted quote: rows in every table that the
 * projector writes.
 */
export async function tradeAtRandom(core: TestCore, floor: Floor, seed: number, rounds = 60): Promise<void> {
  const randoms = randomsFrom(seed);
  const random = (bound: number): number => Math.floor(randoms() * bound);
  const traders = [floor.ann, floor.bob, floor.cat];
  const open: { accountId: number; orderId: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const accountId = traders[random(3)]!;
    const marketId = random(3) === 0 ? EVENT : SPOT;
    const ticks = marketId === EVENT ? 35 + random(10) : 10_000 + random(20);
    const terms: Partial<PlaceOrder> = {
      marketId,
      ...(random(4) === 0 && { clientOrderId: `order-${seed}-${round}` }),
    };
    const command = limit(accountId, random(2) === 0 ? 'buy' : 'sell', ticks, 1 + random(9), terms);
    const idempotency =
      random(5) === 0
        ? { owner: 'client:test', key: `key-${seed}-${round}`, fingerprint: 'same' }
        : undefined;
    const [outcome] = await core.submit([command], idempotency);
    if (outcome!.ok && outcome!.result.type === 'order')
      open.push({ accountId, orderId: outcome!.result.order.orderId });
    if (random(4) === 0 && open.length > 0)
      await core.submit([{ type: 'cancel_order', ...open.splice(random(open.length), 1)[0]! }]);
  }
  await core.place(limit(floor.bob, 'sell', 50, 10, { marketId: EVENT }));
  await core.place({
    type: 'accept_quote',
    accountId: floor.ann,
    quoteId: `quote-${seed}`,
    marketId: EVENT,
    side: 'buy',
    sizeLots: 5,
    notionalBound: '5',
    expiresAtMs: Date.UTC(2999, 0, 1),
    feeRates: null,
  });
  await splitInGroup(core, floor.ann, seed);
}

function groupOf(seed: number) {
  return { groupId: `WINNER-${seed}`, marketIds: [`RED-${seed}`, `BLUE-${seed}`] } as const;
}

async function splitInGroup(core: TestCore, accountId: number, seed: number): Promise<void> {
  const { groupId, marketIds } = groupOf(seed);
  for (const marketId of marketIds) await core.run(event({ marketId }));
  await core.run({ type: 'create_event_group', groupId, title: 'The winner', marketIds });
  await core.run({ type: 'split_event_group', groupId, accountId, sizeLots: 1 });
}

/** Quotes on the spot market that are cancelled after a few fills. */
export async function quoteProtected(core: TestCore, accountId: number): Promise<void> {
  await core.run({
    type: 'mass_quote',
    accountId,
    quotes: [{ marketId: SPOT, bid: at(10_009), ask: at(10_011) }],
    protection: { fills: 3, windowMs: 60_000, reset: false },
  });
}

function at(priceTicks: number): QuotedSide {
  return { priceTicks, sizeLots: 4, feeRates: null };
}

/** Settles the event market and the event group of a run, and corrects both settlements. */
export async function settleEvent(core: TestCore, seed: number): Promise<void> {
  await core.run({ type: 'set_market_status', marketId: EVENT, status: 'closed', settlementValue: null });
  await core.run({ type: 'set_market_status', marketId: EVENT, status: 'settled', settlementValue: '1' });
  await core.run({ type: 'correct_settlement', marketId: EVENT, settlementValue: '0.5' });
  const { groupId, marketIds } = groupOf(seed);
  for (const marketId of marketIds)
    await core.run({ type: 'set_market_status', marketId, status: 'closed', settlementValue: null });
  const [red, blue] = marketIds;
  await core.run({ type: 'settle_event_group', groupId, winningMarketId: red });
  await core.run({ type: 'correct_event_group', groupId, winningMarketId: blue });
}
