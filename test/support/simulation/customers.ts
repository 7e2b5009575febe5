/** Customers of the simulated exchange: they ask, ask again with the same key, and note what they were told. */
import { below, type Random } from '../../../bench/support/random.js';
import type { Command, Outcome } from '../../../src/domain/engine/commands.js';
import type { CoreRequest } from '../../../src/core/core.types.js';
import { ServiceFailure } from '../../../src/kit/coded-error.js';
import { deposit, limit, marketTerms } from '../core.js';
import { NOBODY, type VirtualTime } from './virtual-time.js';
import type { SimulatedProcess } from './simulated-process.js';

export const MARKETS = ['BTC-USD', 'RAIN'] as const;
export const TRADERS = 4;
/** Some ask for the same account at the same time. */
export const CUSTOMERS = 6;
/** Then a customer asks again, while the first try may still be under way. */
const PATIENCE_MS = 3_000;

/** How a command is found again in the journal; null where it has no name of its own. */
export function nameOf(command: Command): string | null {
  switch (command.type) {
    case 'place_order':
      return command.clientOrderId;
    case 'move_money':
      return command.reference;
    case 'place_hold':
      return command.ownerId;
    case 'release_hold':
      return `release ${command.ownerId}`;
    case 'create_account':
      return command.name;
    default:
      return null;
  }
}

/** What became of one try. */
type Told =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'failure'; readonly code: string }
  | { readonly kind: 'silence' };

/** One request with everything that its customer was told about it. */
export interface Asked {
  readonly name: string;
  readonly request: CoreRequest;
  readonly hasKey: boolean;
  readonly told: Told[];
  /** Answers that came after their customer had stopped waiting count, too. */
  open: number;
}

export interface Exchange {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly processes: readonly SimulatedProcess[];
  /** How often a command of this name is in the durable journal. */
  timesInJournal(name: string): number;
  noteAcknowledged(name: string): void;
  fail(message: string): void;
}

/** What is there before anybody trades. */
export function openingCommands(): Command[] {
  return [
    { type: 'create_asset', code: 'USD', scale: 2 },
    { type: 'create_asset', code: 'BTC', scale: 8 },
    marketTerms({ marketId: 'BTC-USD', kind: 'spot' }),
    marketTerms({ marketId: 'RAIN', kind: 'event' }),
    ...Array.from({ length: TRADERS }, (_, index): Command => {
      return { type: 'create_account', kind: 'trading', name: `trader ${index}`, owner: `user:${index}` };
    }),
  ];
}

export class Customer {
  readonly asked: Asked[] = [];
  private holds: string[] = [];
  private orderIds: number[] = [];

  constructor(
    private readonly exchange: Exchange,
    private readonly index: number,
    private readonly accountId: number,
  ) {}

  /** Asks one thing after the other until it is told to stop, and then until the last one is answered. */
  async run(isOver: () => boolean): Promise<void> {
    const { random } = this.exchange;
    while (!isOver()) {
      await this.pause(5 + random() * 400);
      await this.settle(this.next(), random() < 0.05);
    }
  }

  private async settle(asked: Asked, givesUp: boolean): Promise<void> {
    const { random } = this.exchange;
    this.asked.push(asked);
    for (;;) {
      const told = await this.ask(asked);
      // What has no key must not be asked twice.
      if (told.kind !== 'outcome' && asked.hasKey && !givesUp) {
        await this.pause(20 + random() * 300);
        continue;
      }
      this.note(asked, told);
      if (!asked.hasKey || random() < 0.7) return;
      // Somebody pressed the button twice.
      await this.ask(asked);
      return;
    }
  }

  private note({ request }: Asked, told: Told): void {
    if (told.kind !== 'outcome' || !told.outcome.ok) return;
    const { result } = told.outcome;
    if (result.type === 'order') this.orderIds.push(result.order.orderId);
    const [command] = request.commands;
    if (command!.type === 'place_hold') this.holds.push(command.ownerId);
  }

  private ask(asked: Asked): Promise<Told> {
    const { time, random, processes } = this.exchange;
    const process = processes[below(random, processes.length)]!;
    asked.open++;
    return new Promise((resolve) => {
      const silence = time.after(PATIENCE_MS, () => resolve({ kind: 'silence' }), NOBODY);
      const tell = (told: Told): void => {
        asked.open--;
        asked.told.push(told);
        this.check(asked, told);
        time.after(
          random() * 2,
          () => {
            silence.cancel();
            resolve(told);
          },
          NOBODY,
        );
      };
      process.receive(random() * 2, (sequencer) => {
        sequencer.submit(asked.request).then(
          (answer) => tell({ kind: 'outcome', outcome: answer.outcomes[0]! }),
          (error: unknown) => tell({ kind: 'failure', code: this.codeOf(error) }),
        );
      });
    });
  }

  private codeOf(error: unknown): string {
    if (error instanceof ServiceFailure && error.code !== 'internal_error') return error.code;
    this.exchange.fail(`a request failed: ${String(error)}`);
    return 'internal_error';
  }

  /** At the very moment of an answer, what it says must be durable. */
  private check({ name, told }: Asked, now: Told): void {
    if (now.kind !== 'outcome' || !now.outcome.ok) return;
    if (this.exchange.timesInJournal(name) !== 1)
      this.exchange.fail(
        `${name} was acknowledged and is ${this.exchange.timesInJournal(name)} times in the journal`,
      );
    this.exchange.noteAcknowledged(name);
    const orders = new Set(told.flatMap((one) => orderIdOf(one) ?? []));
    if (orders.size > 1) this.exchange.fail(`${name} was told to be the orders ${[...orders].join(', ')}`);
  }

  private pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.exchange.time.after(delayMs, resolve, NOBODY));
  }

  private next(): Asked {
    const { random } = this.exchange;
    const name = `c${this.index}-${this.asked.length}`;
    const kind = random();
    if (kind < 0.5) return asked(name, [this.order(name)]);
    // All others are known by the key of their request.
    const idempotency = { owner: `user:${this.index}`, key: name, fingerprint: name };
    if (kind < 0.7) {
      const amount = String(1 + below(random, 50));
      const commands = [{ ...deposit(this.accountId, 'USD', amount), reference: name }];
      return asked(name, commands, random() < 0.3 ? idempotency : undefined);
    }
    if (kind < 0.8 && this.orderIds.length > 0) {
      const orderId = this.orderIds.splice(below(random, this.orderIds.length), 1)[0]!;
      const also: Command = { ...deposit(this.accountId, 'USD', '1'), reference: name };
      return asked(name, [also, { type: 'cancel_order', accountId: this.accountId, orderId }], idempotency);
    }
    if (kind < 0.86) return asked(name, [this.hold(name)], idempotency);
    if (kind < 0.92 && this.holds.length > 0) {
      const ownerId = this.holds.pop()!;
      const release: Command = { type: 'release_hold', ownerKind: 'payout', ownerId };
      return asked(`release ${ownerId}`, [release], idempotency);
    }
    if (kind < 0.95) {
      const account: Command = { type: 'create_account', kind: 'trading', name, owner: `user:${this.index}` };
      return asked(name, [account], idempotency);
    }
    return asked(name, [this.order(name), this.order(`${name}b`), this.order(`${name}c`)]);
  }

  private hold(ownerId: string): Command {
    const { accountId } = this;
    return { type: 'place_hold', ownerKind: 'payout', ownerId, accountId, asset: 'USD', amount: '3' };
  }

  private order(clientOrderId: string): Command {
    const { random, time } = this.exchange;
    const marketId = MARKETS[below(random, MARKETS.length)]!;
    const side = random() < 0.5 ? 'buy' : 'sell';
    const expires = random() < 0.2;
    return limit(this.accountId, side, 40 + below(random, 20), 1 + below(random, 9), {
      marketId,
      clientOrderId,
      timeInForce: expires ? 'GTD' : random() < 0.2 ? 'IOC' : 'GTC',
      expiresAtMs: expires ? time.wallMs + 500 + below(random, 8_000) : null,
    });
  }
}

function asked(name: string, commands: readonly Command[], idempotency?: CoreRequest['idempotency']): Asked {
  const request = idempotency === undefined ? { commands } : { commands, idempotency };
  const hasKey = idempotency !== undefined || commands[0]!.type === 'place_order';
  return { name, request, hasKey, told: [], open: 0 };
}

/** The order that an answer speaks of, be it the first answer or a repeated one. */
function orderIdOf(told: Told): number | undefined {
  if (told.kind !== 'outcome' || !told.outcome.ok) return undefined;
  const { result } = told.outcome;
  if (result.type === 'order') return result.order.orderId;
  return result.type === 'order_reference' ? result.orderId : undefined;
}
