/** A core for tests of the relay: it handles only commands and keys. */
import type { CancelOrder } from '../../src/domain/engine/commands.js';
import type { Amount } from '../../src/domain/money/amount.js';
import { ServiceFailure } from '../../src/kit/coded-error.js';
import type { CoreAnswer, CoreRequest } from '../../src/core/core.types.js';
import { unavailable } from '../../src/core/requests/failures.js';
import type { ReceivingCore } from '../../src/core/replica/command-receiver.js';

/** The commits of all leaders of a test: requests by key, as the journal keeps them. */
export class Ledger {
  sequence = 0;
  readonly committed: CancelOrder[] = [];
  readonly keys = new Map<string, CoreAnswer>();
}

/**
 * Runs each key's commands once. Commands of account 0 are refused, and leave no key; those of account -2 count as
 * repeats by a key of their own.
 */
export class RecordingCore implements ReceivingCore {
  leads = true;
  refused = 0;
  /** Requests that wait for `release`, while the core is held. */
  private held: (() => void)[] | null = null;

  constructor(private readonly ledger: Ledger) {}

  get sequence(): number {
    return this.ledger.sequence;
  }

  hold(): void {
    this.held = [];
  }

  get heldCount(): number {
    return this.held?.length ?? 0;
  }

  release(): void {
    const { held } = this;
    this.held = null;
    for (const act of held ?? []) act();
  }

  async submit(request: CoreRequest): Promise<CoreAnswer> {
    const { held } = this;
    if (held !== null) await new Promise<void>((resolve) => held.push(resolve));
    if (!this.leads) throw unavailable('This process is a standby.');
    const { key, owner } = request.idempotency!;
    const known = this.ledger.keys.get(`${owner}\n${key}`);
    if (known !== undefined) return { ...known, replayed: known.outcomes.map(() => true), isOfKey: true };
    const [command] = request.commands as readonly CancelOrder[];
    if (command!.accountId === 0) {
      this.refused++;
      const refusal = { code: 'order_not_found', message: `refusal ${this.refused}` } as const;
      return { outcomes: [{ ok: false, refusal }], replayed: [false] };
    }
    if (command!.accountId === -1) {
      throw new ServiceFailure('internal_error', 'Wrong.', { retryAfterS: 7 });
    }
    if (command!.accountId === -2) {
      const result = { type: 'transfer', transferId: command!.orderId } as const;
      return { outcomes: [{ ok: true, result }], replayed: [true] };
    }
    this.ledger.committed.push(command!);
    this.ledger.sequence++;
    const answer: CoreAnswer = {
      outcomes: [{ ok: true, result: { type: 'transfer', transferId: command!.orderId } }],
      replayed: [false],
    };
    this.ledger.keys.set(`${owner}\n${key}`, answer);
    return answer;
  }

  preview = (): ReturnType<ReceivingCore['preview']> =>
    Promise.resolve({ remainingLots: 3, released: { asset: 'USD', amount: (10n ** 30n) as Amount } });

  priceQuote(request: Parameters<ReceivingCore['priceQuote']>[0]): ReturnType<ReceivingCore['priceQuote']> {
    const notional = 'stake' in request ? request.stake : (-5n as Amount);
    const rest = { fee: 1n as Amount, limitPriceTicks: 1, bookSequence: 2, sequence: 3, timeMs: 4 };
    return Promise.resolve({ sizeLots: 7, notional, ...rest });
  }
}
