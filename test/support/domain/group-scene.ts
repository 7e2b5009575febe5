/** Three traders with 100 each, and three event markets that may make a group. */
import { expect } from 'vitest';
import { type Bounds, BOUNDS } from '../../../src/domain/engine/bounds.js';
import type { Changes } from '../../../src/domain/engine/changes.js';
import type { Command, CommandResult, PlaceOrder, Refusal } from '../../../src/domain/engine/commands.js';
import { Engine } from '../../../src/domain/engine/engine.js';
import { EngineState } from '../../../src/domain/engine/state.js';
import type { Side } from '../../../src/domain/engine/types.js';
import { formatAmount } from '../../../src/domain/money/amount.js';
import { auditState } from './audit.js';
import { event } from './markets.js';

export const MARKETS = ['RED', 'GREEN', 'BLUE'] as const;
export type MarketId = (typeof MARKETS)[number];
export const GROUP = {
  type: 'create_event_group',
  groupId: 'WINNER',
  title: 'Who wins',
  marketIds: MARKETS,
} as const;

export class GroupScene {
  readonly engine: Engine;
  /** Those of the first batch. */
  readonly changes: Changes;
  readonly ann: number;
  readonly bob: number;
  readonly cat: number;

  constructor({ lotSize = '1', bounds }: { lotSize?: string; bounds?: Partial<Bounds> } = {}) {
    this.engine = new Engine(new EngineState(), { ...BOUNDS, ...bounds });
    this.changes = this.engine.beginBatch(1);
    this.send({ type: 'create_asset', code: 'USD', scale: 2 });
    for (const marketId of MARKETS) this.send(event({ marketId, lotSize }));
    [this.ann, this.bob, this.cat] = [this.open('ann'), this.open('bob'), this.open('cat')];
  }

  /** Fails where the command is refused, or leaves a state that does not add up. */
  send(command: Command): CommandResult {
    const outcome = this.engine.apply(command);
    if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
    this.engine.checkBatch();
    auditState(this.engine.state);
    return outcome.result;
  }

  refused(command: Command): string | null {
    return this.refusalOf(command)?.code ?? null;
  }

  refusalOf(command: Command): Refusal | null {
    const { sequence } = this.engine.state;
    const outcome = this.engine.apply(command);
    if (outcome.ok) return null;
    expect(this.engine.state.sequence).toBe(sequence);
    return outcome.refusal;
  }

  /** The buyer's order rests first. */
  trade(buyer: number, seller: number, marketId: MarketId, lots: number, priceTicks: number): void {
    this.send(order(buyer, marketId, 'buy', lots, priceTicks));
    this.send(order(seller, marketId, 'sell', lots, priceTicks));
  }

  close(...marketIds: readonly MarketId[]): void {
    for (const marketId of marketIds)
      this.send({ type: 'set_market_status', marketId, status: 'closed', settlementValue: null });
  }

  sizesOf(accountId: number): number[] {
    const { positions } = this.engine.state.accounts.get(accountId)!;
    return MARKETS.map((marketId) => positions.get(marketId)?.sizeLots ?? 0);
  }

  realizedBy(...accountIds: readonly number[]): string {
    const positions = accountIds.flatMap((id) => [...this.engine.state.accounts.get(id)!.positions.values()]);
    const sum = positions.reduce((all, { realizedPnl }) => all + realizedPnl, 0n);
    return sum < 0n ? `-${formatAmount(-sum)}` : formatAmount(sum);
  }

  moneyOf(accountId: number): string {
    return formatAmount(this.engine.state.accounts.get(accountId)!.balances.get('USD')?.available ?? 0n);
  }

  heldBy(accountId: number): bigint {
    return this.engine.state.accounts.get(accountId)!.balances.get('USD')?.held ?? 0n;
  }

  pool(): string {
    return this.moneyOf(this.engine.state.groups.get('WINNER')!.poolAccountId);
  }

  private open(name: string): number {
    const result = this.send({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
    if (result.type !== 'account') throw new Error('no account');
    const { accountId } = result;
    this.send({
      type: 'move_money',
      debit: { rail: 'bank' },
      credit: { accountId },
      asset: 'USD',
      amount: '100',
      reason: 'deposit',
      reference: 'test',
    });
    return accountId;
  }
}

export function order(
  accountId: number,
  marketId: MarketId,
  side: Side,
  sizeLots: number,
  priceTicks: number,
): PlaceOrder {
  return {
    type: 'place_order',
    accountId,
    marketId,
    side,
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks,
    stopPriceTicks: null,
    sizeLots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
    feeRates: null,
  };
}

export function split(accountId: number, sizeLots: number): Command {
  return { type: 'split_event_group', groupId: 'WINNER', accountId, sizeLots };
}

export function merge(accountId: number, sizeLots: number): Command {
  return { type: 'merge_event_group', groupId: 'WINNER', accountId, sizeLots };
}
