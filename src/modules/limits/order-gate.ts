import { errorOf } from '../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CoreService } from '../../core/core.service.js';
import type { CoreAnswer, CoreRequest } from '../../core/core.types.js';
import type {
  AcceptQuote,
  AmendOrder,
  MassQuote,
  Outcome,
  PlaceOrder,
  PlaceOrderList,
  Refusal,
  ReplaceOrder,
  SplitEventGroup,
} from '../../domain/engine/commands.js';
import { isRefusal } from '../../domain/engine/context.js';
import type { PreviewOf } from '../../domain/engine/preview.js';
import type { MarketDefinition } from '../../domain/engine/types.js';
import { type Awaitable, onceKnown, someOf } from '../../kit/awaitable.js';
import { personOf, type Principal } from '../../kit/security/principal.js';
import { presentOwner } from '../../kit/turns/owner.js';
import { TurnQueues } from '../../kit/turns/turn-queues.js';
import { Allowances, type Granted } from './allowances.js';
import { type Standing, Standings } from './standings.js';

export type OrderCommand =
  | PlaceOrder
  | ReplaceOrder
  | PlaceOrderList
  | MassQuote
  | AmendOrder
  | AcceptQuote
  | SplitEventGroup;
/** Those of which a preview tells what they would do. */
export type PreviewedCommand = Exclude<OrderCommand, MassQuote | SplitEventGroup>;

/** A command that may open something, and its market. */
export interface GatedOrder<C extends OrderCommand = OrderCommand> {
  readonly command: C;
  readonly market: MarketDefinition;
}

/** A command with its allowance; what was granted is null for accounts without limits. */
interface Prepared<C extends OrderCommand> {
  readonly command: C;
  readonly granted: Granted | null;
}

interface Tried {
  readonly prepared: readonly Prepared<OrderCommand>[];
  readonly answer: CoreAnswer;
}

/** Each time somebody's order was faster; with so many there is always one that gets through. */
const TRIES_MAX = 20;

const WANTED_MAX = 10_000;
/** Of one owner's accounts, whoever acts on them. */
const BOUNDS = { runningMax: 1, ownerRunningMax: 1, waitingMax: 512, ownerWaitingMax: 512 };

/**
 * The way of all orders, amendments and accepted quotes to the core: accounts with limits of their own, and those of
 * excluded persons, get an allowance on their way. The engine decides by it, so that orders at the same moment, in
 * whatever process, never open more than the limits leave. Commands on the caller's first account go without one, and
 * nothing is looked up: the engine refuses them where that account has limits, and tells of an exclusion, too. Only who was
 * made by another user is asked about in memory, since an exclusion counts for all of one registration root.
 */
@Injectable()
export class OrderGate {
  /** Accounts that the engine wanted an allowance of. */
  private readonly wanted = new LRUCache<number, true>({ max: WANTED_MAX });
  private readonly turns = new TurnQueues(BOUNDS);

  constructor(
    private readonly core: CoreService,
    private readonly standings: Standings,
    private readonly allowances: Allowances,
  ) {}

  /**
   * As `CoreService.submit`. Refuses with `self_limit_exceeded`, `self_excluded`, and `self_limits_changed` where the
   * limits changed between two orders of one request.
   */
  async submit(
    principal: Principal,
    orders: readonly GatedOrder[],
    request: Omit<CoreRequest, 'commands'>,
  ): Promise<CoreAnswer> {
    if (!(await this.mayNeedAllowance(principal, orders))) {
      const commands = orders.map(({ command }) => command);
      const answer = await this.core.submit({ ...request, commands });
      if (!didNothingFor('self_limits_changed', answer)) return answer;
      this.noteWanted(orders);
    }
    for (let tries = 1; ; tries++) {
      const { prepared, answer } = await this.trySubmit(principal, orders, request);
      if (tries === TRIES_MAX || !(await this.isOutOfDate(prepared, answer)))
        return explained(prepared, answer);
    }
  }

  /** As `CoreService.preview`, with the refusals of `submit`. */
  async preview<C extends PreviewedCommand>(
    principal: Principal,
    order: GatedOrder<C>,
  ): Promise<PreviewOf<C> | Refusal> {
    if (!(await this.mayNeedAllowance(principal, [order]))) {
      const preview = await this.core.preview(order.command);
      if (!isRefusal(preview) || preview.code !== 'self_limits_changed') return preview;
      this.noteWanted([order]);
    }
    const [prepared] = await this.prepare(principal, [order]);
    const preview = await this.core.preview(prepared!.command);
    return isRefusal(preview) ? inWords(preview, prepared!.granted) : preview;
  }

  /** Throws `self_limit_exceeded` and `self_excluded` for what would be refused so; nothing else is found out. */
  async requireRoom(principal: Principal, order: GatedOrder<PreviewedCommand>): Promise<void> {
    if (!(await this.isLimited(principal, [order]))) return;
    const preview = await this.preview(principal, order);
    if (isRefusal(preview) && isOfLimits(preview)) throw errorOf(preview);
  }

  private mayNeedAllowance(principal: Principal, orders: readonly GatedOrder[]): Awaitable<boolean> {
    return onceKnown(
      this.mayGoWithout(principal, orders),
      (mayGo) => !mayGo && this.isLimited(principal, orders),
    );
  }

  /** Whether the engine itself knows all that could stand against the commands. */
  private mayGoWithout(
    { accountId, accountOwner, isBoundToAccount }: Principal,
    orders: readonly GatedOrder[],
  ): Awaitable<boolean> {
    if (isBoundToAccount === true || (accountId !== null && this.wanted.has(accountId))) return false;
    if (!orders.every(({ command }) => command.accountId === accountId)) return false;
    return onceKnown(this.standings.isRootLimited(accountOwner), (isLimited) => !isLimited);
  }

  /** By turns for owners of several accounts: each use ends what the others have prepared, so they would never get through. */
  private async trySubmit(
    principal: Principal,
    orders: readonly GatedOrder[],
    request: Omit<CoreRequest, 'commands'>,
  ): Promise<Tried> {
    const prepared = await this.prepare(principal, orders);
    const accountId = prepared.find(({ granted }) => granted?.allowance.sharedWith !== undefined)?.command
      .accountId;
    if (accountId === undefined) return this.submitPrepared(prepared, request);
    const owner = (await this.core.account(accountId))?.owner ?? '';
    return this.turns.take(owner, presentOwner(), async () =>
      this.submitPrepared(await this.prepare(principal, orders), request),
    );
  }

  /**
   * Where a request opens something on several accounts of one owner, what was prepared for the next is refused once the
   * first has used its allowance.
   */
  private async submitPrepared(
    prepared: readonly Prepared<OrderCommand>[],
    request: Omit<CoreRequest, 'commands'>,
  ): Promise<Tried> {
    const commands = prepared.map(({ command }) => command);
    return { prepared, answer: await this.core.submit({ ...request, commands }) };
  }

  private noteWanted(orders: readonly GatedOrder[]): void {
    for (const { command } of orders) this.wanted.set(command.accountId, true);
  }

  /** An excluded person's own account says so, whichever account the person acts on. */
  private isLimited({ accountId }: Principal, orders: readonly GatedOrder[]): Awaitable<boolean> {
    const accountIds = new Set(orders.map(({ command }) => command.accountId));
    if (accountId !== null) accountIds.add(accountId);
    return someOf([...accountIds], (each) => this.standings.isLimited(each));
  }

  private async prepare<C extends OrderCommand>(
    principal: Principal,
    orders: readonly GatedOrder<C>[],
  ): Promise<Prepared<C>[]> {
    const standings = new Map<number, Standing>();
    const grants = new Map<string, Granted>();
    const prepared: Prepared<C>[] = [];
    for (const { command, market } of orders) {
      const { accountId } = command;
      const standing =
        standings.get(accountId) ?? (await this.standings.limited(accountId, personOf(principal)));
      standings.set(accountId, standing);
      if (standing.asOf === null) {
        prepared.push({ command, granted: null });
        continue;
      }
      const key = `${accountId}:${market.kind}:${market.quoteAsset}`;
      const granted = grants.get(key) ?? (await this.allowances.forOrders(standing, market));
      grants.set(key, granted);
      prepared.push({ command: { ...command, allowance: granted.allowance }, granted });
    }
    return prepared;
  }

  /** Whether the request was refused by what has changed meanwhile, and did nothing, so that it can be sent again. */
  private async isOutOfDate(
    prepared: readonly Prepared<OrderCommand>[],
    answer: CoreAnswer,
  ): Promise<boolean> {
    if (didNothingFor('self_limits_changed', answer)) return true;
    if (!didNothingFor('self_limit_exceeded', answer)) return false;
    const place = answer.outcomes.findIndex((outcome) => isRefusedAs(outcome, 'self_limit_exceeded'));
    const { command } = prepared[place]!;
    const account = await this.core.account(command.accountId);
    return account?.limitsSequence !== command.allowance?.asOf;
  }
}

function isRefusedAs(outcome: Outcome, code: Refusal['code']): boolean {
  return !outcome.ok && outcome.refusal.code === code;
}

/** Whether nothing was accepted, and something refused with this code. */
function didNothingFor(code: Refusal['code'], { outcomes }: CoreAnswer): boolean {
  return outcomes.some((outcome) => isRefusedAs(outcome, code)) && !outcomes.some(({ ok }) => ok);
}

function explained(prepared: readonly Prepared<OrderCommand>[], answer: CoreAnswer): CoreAnswer {
  const outcomes = answer.outcomes.map((outcome, place): Outcome =>
    outcome.ok ? outcome : { ok: false, refusal: inWords(outcome.refusal, prepared[place]!.granted) },
  );
  return { ...answer, outcomes };
}

/** A refusal by a limit says which one, and what it leaves. */
function inWords(refusal: Refusal, granted: Granted | null): Refusal {
  const words = granted?.words ?? null;
  return isOfLimits(refusal) && words !== null ? { ...refusal, message: words } : refusal;
}

function isOfLimits({ code }: Refusal): boolean {
  return code === 'self_limit_exceeded' || code === 'self_excluded';
}
