/**
 * The engine: `(state, command) → outcome and changes`, deterministic and without side effects beyond its own state. It
 * uses no clock, no random source and no plugin. The same commands in the same order give the same state, down to its
 * hash, on every machine.
 */
import { failureIn, invariant } from '../invariant.js';
import { amendOrder } from './amendments.js';
import {
  createAsset,
  moveMoney,
  openAccount,
  payFromHold,
  placeHold,
  releaseHold,
  setKycLevel,
} from './accounts.js';
import { type Bounds, BOUNDS } from './bounds.js';
import { Changes } from './changes.js';
import type { Command, CommandResult, Outcome, Refusal } from './commands.js';
import { type Context, empty, isRefusal, MARKET_NOT_FOUND } from './context.js';
import { createEventGroup, mergeEventGroup, splitEventGroup } from './event-groups.js';
import { setAccountFrozen } from './freezing.js';
import { correctEventGroup, settleEventGroup } from './group-settlement.js';
import { checkApplied, checkBatch, checkRefused, CommandMark } from './invariants.js';
import { configureLimits } from './limits.js';
import { changeMarket } from './market-terms.js';
import { createMarket, setMarketStatus } from './markets.js';
import { massQuote } from './mass-quotes.js';
import { cancelOrderList, placeOrderList } from './order-lists.js';
import { cancelAllOrders, cancelOrder, placeOrder, runTriggered } from './orders.js';
import { type PreviewableCommand, previewCommand, type PreviewOf } from './preview.js';
import { acceptQuote, priceQuote, type QuotePrice, type QuoteRequest } from './quotes.js';
import { replaceOrder } from './replacements.js';
import { continueSettlement, correctSettlement } from './settlement.js';
import { renewSelfLimits } from './self-limits.js';
import { EngineState } from './state.js';
import { noteReached } from './stops.js';
import { advanceTime } from './time.js';

/** Increased by every change after which old commands would give another result. */
export const ENGINE_VERSION = 3;

export class Engine {
  private batch = 0;
  private changes = new Changes(0);
  /** Where the present command began. */
  private readonly mark = new CommandMark();
  /** Of one command after the other: six new Sets for each would be much of its garbage. */
  private readonly unsettled: Context['unsettled'] = {
    orders: new Set(),
    positions: new Set(),
    filled: new Set(),
    listed: new Set(),
    entries: new Set(),
    tripped: new Set(),
  };

  constructor(
    readonly state: EngineState = new EngineState(),
    private readonly bounds: Bounds = BOUNDS,
  ) {}

  /** Starts a new collection of changes; the previous one belongs to its caller. */
  beginBatch(timeMs: number): Changes {
    this.batch++;
    this.changes = new Changes(this.batch);
    this.state.timeMs = Math.max(this.state.timeMs, timeMs);
    return this.changes;
  }

  /**
   * Applies one command at the batch's time. A refused command leaves no trace.
   * @throws InvariantError where it fails: the state is good for nothing then
   */
  apply(command: Command): Outcome {
    const { state } = this;
    const sequence = ++state.sequence;
    try {
      invariant(Number.isSafeInteger(sequence), 'commands can be counted', sequence);
      return this.applyAs(sequence, command);
    } catch (error) {
      throw failureIn(error, command.type, sequence);
    }
  }

  private applyAs(sequence: number, command: Command): Outcome {
    const { state, changes, mark } = this;
    const context = this.context(sequence);
    mark.set(sequence, changes);
    const result = run(context, command);
    if (isRefusal(result)) {
      checkRefused(context, mark);
      state.sequence = sequence - 1;
      return { ok: false, refusal: result };
    }
    const touched = changes.endCommand();
    for (const market of touched) noteReached(state, market);
    checkApplied(context, mark, touched);
    return { ok: true, result };
  }

  /** @throws InvariantError where what the batch has changed is not what may become durable */
  checkBatch(): void {
    checkBatch(this.state, this.changes);
  }

  /** What the command would do now. It uses the same checks and plans as `apply`, and changes nothing. */
  preview<C extends PreviewableCommand>(command: C): PreviewOf<C> | Refusal {
    const context = this.context(this.state.sequence + 1);
    return previewCommand(context, command) as PreviewOf<C> | Refusal;
  }

  /** The price of a quote now. It walks the book as an acceptance does, and changes nothing. */
  priceQuote(request: QuoteRequest): QuotePrice | Refusal {
    return priceQuote(this.state, request);
  }

  /**
   * The commands that are due now because of time or waiting stops: one of each kind, so that others' commands come
   * between.
   */
  dueCommands(timeMs: number): Command[] {
    const commands: Command[] = [];
    const [waiting] = this.state.triggersWaiting;
    if (waiting !== undefined) commands.push({ type: 'run_triggers', marketId: waiting.definition.marketId });
    const due = this.state.due.peek();
    if (due !== undefined && due.dueMs <= timeMs) commands.push({ type: 'advance_time' });
    return commands;
  }

  private context(sequence: number): Context {
    const { orders, positions, filled, listed, entries, tripped } = this.unsettled;
    empty(orders);
    empty(positions);
    empty(filled);
    empty(listed);
    empty(entries);
    empty(tripped);
    return {
      state: this.state,
      changes: this.changes,
      bounds: this.bounds,
      timeMs: this.state.timeMs,
      sequence,
      unsettled: this.unsettled,
    };
  }
}

function run(context: Context, command: Command): CommandResult | Refusal {
  switch (command.type) {
    case 'place_order':
      return placeOrder(context, command);
    case 'replace_order':
      return replaceOrder(context, command);
    case 'cancel_order':
      return cancelOrder(context, command);
    case 'place_order_list':
      return placeOrderList(context, command);
    case 'cancel_order_list':
      return cancelOrderList(context, command);
    case 'mass_quote':
      return massQuote(context, command);
    case 'amend_order':
      return amendOrder(context, command);
    case 'cancel_all_orders':
      return cancelAllOrders(context, command);
    case 'accept_quote':
      return acceptQuote(context, command);
    case 'run_triggers': {
      const market = context.state.markets.get(command.marketId);
      if (market === undefined) return MARKET_NOT_FOUND;
      runTriggered(context, market);
      return { type: 'done' };
    }
    case 'advance_time':
      return advanceTime(context, command);
    case 'move_money':
      return moveMoney(context, command);
    case 'place_hold':
      return placeHold(context, command);
    case 'release_hold':
      return releaseHold(context, command);
    case 'pay_from_hold':
      return payFromHold(context, command);
    case 'create_account':
      return openAccount(context, command);
    case 'set_kyc_level':
      return setKycLevel(context, command);
    case 'set_account_frozen':
      return setAccountFrozen(context, command);
    case 'renew_self_limits':
      return renewSelfLimits(context, command);
    case 'configure_limits':
      return configureLimits(context, command);
    case 'create_asset':
      return createAsset(context, command);
    case 'create_market':
      return createMarket(context, command);
    case 'change_market':
      return changeMarket(context, command);
    case 'set_market_status':
      return setMarketStatus(context, command);
    case 'continue_settlement':
      return continueSettlement(context, command);
    case 'correct_settlement':
      return correctSettlement(context, command);
    case 'create_event_group':
      return createEventGroup(context, command);
    case 'split_event_group':
      return splitEventGroup(context, command);
    case 'merge_event_group':
      return mergeEventGroup(context, command);
    case 'settle_event_group':
      return settleEventGroup(context, command);
    case 'correct_event_group':
      return correctEventGroup(context, command);
  }
}
