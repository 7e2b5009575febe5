/** What the clients of one cell send: orders and cancels of a steady book, deposits, withdrawals, transfers. */
import type { Command, Outcome } from '../../src/domain/engine/commands.js';
import type { StreamCommand } from '../bare-matching.js';
import { streamOf } from '../order-stream.js';
import { below, type Random } from '../support/random.js';
import type { Cell } from './cell.js';
import type { CellCommand } from './cell-state.js';
import { BANK } from './conservation.js';

export interface TrafficTerms {
  /** Orders and cancels together. */
  readonly commands: number;
  readonly restingOrders: number;
  readonly tradersPerCell: number;
  /** What each trader deposits of every asset at first. */
  readonly depositedFirst: number;
  /** How many transfers to other cells come to one order or cancel, below 1. */
  readonly transferShare: number;
  /** How many deposits and withdrawals come to one order or cancel, below 1. */
  readonly bankShare: number;
}

export const QUOTE = 'USD';
/** A trader trades in its own cell and in the cells at these distances. */
const CIRCLE = [0, 1, 5, 11];
const TRANSFERRED_MAX = 100;

export interface ClientCommand {
  readonly command: CellCommand;
  /** Its number in the stream of orders, to cancel by. */
  readonly streamId: number | null;
}

export class Traffic {
  private readonly stream: readonly StreamCommand[];
  private next = 0;
  /** Of orders that were acknowledged, by their number in the stream. */
  private readonly placed = new Map<number, { readonly accountId: number; readonly orderId: number }>();

  constructor(
    private readonly cells: readonly Cell[],
    private readonly index: number,
    private readonly terms: TrafficTerms,
    private readonly random: Random,
    seed: number,
  ) {
    this.stream = streamOf(terms.commands, terms.restingOrders, seed);
  }

  get isDone(): boolean {
    return this.next === this.stream.length;
  }

  /** Assets, the market and the traders. */
  opening(): CellCommand[] {
    const commands: Command[] = [
      { type: 'create_asset', code: QUOTE, scale: 2 },
      { type: 'create_asset', code: this.coin, scale: 8 },
      market(this.marketId, this.coin),
    ];
    for (let trader = 0; trader < this.terms.tradersPerCell; trader++) {
      const name = `trader-${this.index}-${trader}`;
      commands.push({ type: 'create_account', kind: 'trading', name, owner: name });
    }
    return commands.map(own);
  }

  /** The traders' first money. */
  funding(): CellCommand[] {
    const amount = String(this.terms.depositedFirst);
    return this.cell.state
      .owners()
      .flatMap((owner) =>
        [QUOTE, this.coin].map((asset) => own(deposit(this.accountOf(owner), asset, amount))),
      );
  }

  /** This many orders and cancels, with other commands in between. */
  take(count: number): ClientCommand[] {
    const commands: ClientCommand[] = [];
    const owners = this.cell.state.owners();
    const { transferShare, bankShare } = this.terms;
    while (commands.length < count && !this.isDone) {
      const draw = this.random();
      if (draw < transferShare) commands.push({ command: this.transfer(owners), streamId: null });
      else if (draw < transferShare + bankShare)
        commands.push({ command: this.bank(owners), streamId: null });
      else this.takeFromStream(owners, commands);
    }
    return commands;
  }

  /** Acknowledges only durable orders; an order lost in a crash is never cancelled. */
  acknowledge(commands: readonly ClientCommand[], outcomes: readonly (Outcome | null)[]): void {
    for (const [index, { streamId }] of commands.entries()) {
      const outcome = outcomes[index];
      if (streamId === null || !outcome?.ok || outcome.result.type !== 'order') continue;
      const { accountId, orderId } = outcome.result.order;
      this.placed.set(streamId, { accountId, orderId });
    }
  }

  private takeFromStream(owners: readonly string[], commands: ClientCommand[]): void {
    const command = this.stream[this.next++]!;
    if (command.kind === 'order') {
      const accountId = this.accountOf(owners[command.id % owners.length]!);
      commands.push({ command: own(order(this.marketId, accountId, command)), streamId: command.id });
      return;
    }
    const placed = this.placed.get(command.id);
    if (placed === undefined) return;
    this.placed.delete(command.id);
    commands.push({ command: own({ type: 'cancel_order', ...placed }), streamId: null });
  }

  /** One in four is of a coin, which no other cell lists, and is refused there. */
  private transfer(owners: readonly string[]): CellCommand {
    const owner = this.oneOf(owners);
    const homeIndex = Number(owner.split('-')[1]);
    const circle = CIRCLE.map((step) => this.cells[(homeIndex + step) % this.cells.length]!);
    const others = circle.filter((cell) => cell !== this.cell);
    const amount = String(1 + below(this.random, TRANSFERRED_MAX));
    if (others.length === 0) {
      const [debit, credit] = [this.accountOf(owner), this.accountOf(this.oneOf(owners))];
      return own(moveMoney({ accountId: debit }, { accountId: credit }, QUOTE, amount, 'transfer'));
    }
    const asset = this.random() < 0.25 ? this.coin : QUOTE;
    return { kind: 'send', request: { to: this.oneOf(others).name, owner, asset, amount } };
  }

  private bank(owners: readonly string[]): CellCommand {
    const accountId = this.accountOf(this.oneOf(owners));
    const amount = String(1 + below(this.random, TRANSFERRED_MAX));
    return this.random() < 0.5
      ? own(deposit(accountId, QUOTE, amount))
      : own(moveMoney({ accountId }, { rail: BANK }, QUOTE, amount, 'withdrawal'));
  }

  private oneOf<T>(list: readonly T[]): T {
    return list[below(this.random, list.length)]!;
  }

  private accountOf(owner: string): number {
    return this.cell.state.accountOf(owner)!;
  }

  private get cell(): Cell {
    return this.cells[this.index]!;
  }

  private get coin(): string {
    return `COIN${this.index}`;
  }

  private get marketId(): string {
    return `${this.coin}-${QUOTE}`;
  }
}

function own(command: Command): CellCommand {
  return { kind: 'engine', command };
}

function deposit(accountId: number, asset: string, amount: string): Command {
  return moveMoney({ rail: BANK }, { accountId }, asset, amount, 'deposit');
}

type MoveMoney = Extract<Command, { type: 'move_money' }>;

function moveMoney(
  debit: MoveMoney['debit'],
  credit: MoveMoney['credit'],
  asset: string,
  amount: string,
  reason: MoveMoney['reason'],
): Command {
  return { type: 'move_money', debit, credit, asset, amount, reason, reference: reason };
}

function order(
  marketId: string,
  accountId: number,
  { side, ticks, lots }: Extract<StreamCommand, { kind: 'order' }>,
): Command {
  return {
    type: 'place_order',
    accountId,
    marketId,
    side,
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks: ticks,
    stopPriceTicks: null,
    sizeLots: lots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
    feeRates: null,
  };
}

function market(marketId: string, baseAsset: string): Command {
  return {
    type: 'create_market',
    marketId,
    kind: 'spot',
    title: '',
    description: '',
    category: '',
    baseAsset,
    quoteAsset: QUOTE,
    tickSize: '0.01',
    lotSize: '0.001',
    minSize: null,
    maxSize: null,
    minNotional: null,
    priceMin: null,
    priceMax: null,
    makerFeeRate: '0.0005',
    takerFeeRate: '0.001',
    feeBase: null,
    opensAtMs: null,
    closesAtMs: null,
  };
}
