/** Invariants of every state, computed from the state alone. Throws with a line that names the violation. */
import { isDeepStrictEqual } from 'node:util';
import type { Share } from '../../../src/domain/engine/party.js';
import type { Side } from '../../../src/domain/engine/types.js';
import type { EngineState, EventGroup } from '../../../src/domain/engine/state.js';

export function auditState(state: EngineState): void {
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const totals = new Map<string, bigint>();
  const held = new Map<string, bigint>();
  const addHeld = (accountId: number, asset: string, units: bigint): void => {
    const key = `${accountId}/${asset}`;
    held.set(key, (held.get(key) ?? 0n) + units);
  };
  for (const order of state.orders.values()) {
    if (!order.isLive) fail(`order ${order.orderId} is ${order.status} and still live`);
    addHeld(order.accountId, order.heldAsset, order.held);
  }
  for (const hold of state.holds.values()) addHeld(hold.accountId, hold.asset, hold.amount);

  const parties = new Map<string, { orders: number; stops: number; lots: number; trailing: number }>();
  for (const order of state.orders.values()) {
    const { party } = state.accounts.get(order.accountId)!;
    if (party !== state.parties.get(party.key)) fail(`an account of ${party.key} is of a party of its own`);
    const sum = parties.get(party.key) ?? { orders: 0, stops: 0, lots: 0, trailing: 0 };
    sum.orders++;
    if (order.status === 'untriggered') sum.stops++;
    if (order.status === 'untriggered' && order.isTrailing) sum.trailing++;
    sum.lots += order.remainingLots;
    parties.set(party.key, sum);
  }
  for (const [key, party] of state.parties) {
    const sum = parties.get(key) ?? { orders: 0, stops: 0, lots: 0, trailing: 0 };
    const shares = [...state.markets.keys()].map((marketId) => party.shareOf(marketId));
    const sumOf = (of: (share: Share) => Readonly<Record<Side, number>>): number =>
      shares.reduce((total, share) => total + of(share).buy + of(share).sell, 0);
    const counted = {
      orders: party.openOrders,
      stops: party.openStops,
      lots: sumOf(({ openLots }) => openLots),
      trailing: sumOf(({ trailingStops }) => trailingStops),
    };
    if (!isDeepStrictEqual(sum, counted))
      fail(`${key} has ${JSON.stringify(sum)} and counts ${JSON.stringify(counted)}`);
  }

  for (const account of state.accounts.values()) {
    for (const balance of account.balances.values()) {
      const key = `${account.accountId}/${balance.asset}`;
      totals.set(balance.asset, (totals.get(balance.asset) ?? 0n) + balance.available + balance.held);
      if (balance.available < 0n && account.kind !== 'external')
        fail(`${account.name} is overdrawn in ${balance.asset}`);
      if (balance.held !== (held.get(key) ?? 0n)) {
        fail(`${account.name} holds ${balance.held} ${balance.asset}, its holds are ${held.get(key) ?? 0n}`);
      }
      held.delete(key);
    }
  }
  for (const [key, units] of held) if (units !== 0n) fail(`${units} are held on ${key} without a balance`);
  for (const [asset, total] of totals)
    if (total !== 0n) fail(`all ${asset} adds up to ${total}, not to zero`);

  /** What each group owes: one for each short, and for each set that exists without one. */
  const owedByGroups = new Map<EventGroup, bigint>();
  for (const market of state.markets.values()) {
    const { marketId, quoteAsset } = market.definition;
    let longs = 0;
    let shorts = 0;
    for (const account of state.accounts.values()) {
      const position = account.positions.get(marketId);
      if (position === undefined) continue;
      if (position.sizeLots > 0) longs += position.sizeLots;
      else shorts -= position.sizeLots;
      const stops = [...position.buys.values(), ...position.sells.values()].filter(
        (order) => order.status === 'untriggered',
      );
      for (const side of ['buy', 'sell'] as const) {
        const lots = [...position.ordersOf(side).values()].reduce(
          (sum, order) => sum + order.remainingLots,
          0,
        );
        if (position.openLots[side] !== lots)
          fail(`${account.name} could ${side} ${lots} in ${marketId} and counts ${position.openLots[side]}`);
      }
      if (position.openStops !== stops.length)
        fail(`${account.name} has ${stops.length} stops in ${marketId} and counts ${position.openStops}`);
      for (const side of market.isEvent ? (['buy', 'sell'] as const) : []) {
        let cover = position.reducibleBy(side);
        for (const order of position.ordersOf(side).values()) {
          const share = order.hasPrice ? Math.min(cover, order.remainingLots) : 0;
          if (order.coveredLots !== share)
            fail(`order ${order.orderId} is covered with ${order.coveredLots} of ${share}`);
          cover -= share;
        }
      }
    }
    const sets = market.group?.setsLots ?? 0;
    if (longs - shorts !== sets && market.owedShortLots === null)
      fail(`${marketId} has ${longs} long and ${shorts} short, and ${sets} sets`);
    if (!market.isEvent) continue;
    if (market.shortLots !== shorts) fail(`${marketId} counts ${market.shortLots} of ${shorts} short`);
    const pool = state.accounts.get(market.poolAccountId!)!.balances.get(quoteAsset)?.available ?? 0n;
    if (longs !== market.openInterestLots)
      fail(`${marketId} has ${longs} long of ${market.openInterestLots} open`);
    if (market.owedShortLots !== null && shorts !== market.owedShortLots)
      fail(`${marketId} has ${shorts} short of ${market.owedShortLots} owed`);
    const value = market.settlementValue;
    const owed =
      value === null
        ? market.sizeOf(longs)
        : (market.sizeOf(longs) * value + market.sizeOf(shorts) * (10n ** 18n - value)) / 10n ** 18n;
    if (market.group !== null && value !== null)
      owedByGroups.set(market.group, (owedByGroups.get(market.group) ?? 0n) + owed);
    else if (market.group !== null)
      owedByGroups.set(
        market.group,
        (owedByGroups.get(market.group) ?? market.sizeOf(sets)) + market.sizeOf(shorts),
      );
    if (pool !== (market.group === null ? owed : 0n))
      fail(`the pool of ${marketId} is ${pool} and owes ${owed}`);
  }
  for (const [group, owed] of owedByGroups) {
    const { quoteAsset } = group;
    const pool = state.accounts.get(group.poolAccountId)!.balances.get(quoteAsset)?.available ?? 0n;
    if (pool !== owed) fail(`the pool of ${group.groupId} is ${pool} and owes ${owed}`);
  }

  for (const account of state.accounts.values()) {
    let live = 0;
    for (const position of account.positions.values()) live += position.buys.size + position.sells.size;
    if (account.openOrders !== live)
      fail(`${account.name} has ${live} live orders and counts ${account.openOrders}`);
  }
}
