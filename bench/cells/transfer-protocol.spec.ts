import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CreditMessage,
  IncomingTransfers,
  OutgoingTransfers,
  type Verdict,
  type VerdictMessage,
} from './transfer-protocol.js';

const REQUEST = { to: 'b', owner: 'alice', asset: 'USD', amount: '5' };

describe('OutgoingTransfers', () => {
  it('numbers each link from 1 on', () => {
    const outgoing = new OutgoingTransfers('a');
    expect(outgoing.start(REQUEST).number).toBe(1);
    expect(outgoing.start(REQUEST).number).toBe(2);
    expect(outgoing.start({ ...REQUEST, to: 'c' }).number).toBe(1);
    expect(outgoing.nextNumber('b')).toBe(3);
  });

  it('tells how far all has ended, and no further than the oldest that is open', () => {
    const outgoing = new OutgoingTransfers('a');
    const [first, second, third] = [1, 2, 3].map(() => outgoing.start(REQUEST));
    const told = (): number => outgoing.creditFor(third!).endedThrough;
    expect(told()).toBe(0);
    outgoing.end(second!);
    expect(told()).toBe(0);
    outgoing.end(first!);
    expect(told()).toBe(2);
    outgoing.end(third!);
    expect(outgoing.creditFor(outgoing.start(REQUEST)).endedThrough).toBe(3);
  });

  it('finds a transfer until it has ended', () => {
    const outgoing = new OutgoingTransfers('a');
    const transfer = outgoing.start(REQUEST);
    expect(outgoing.find('b', 1)).toEqual(transfer);
    outgoing.end(transfer);
    expect(outgoing.find('b', 1)).toBeUndefined();
    expect([...outgoing.open()]).toEqual([]);
  });
});

describe('IncomingTransfers', () => {
  const credit = (number: number, endedThrough = 0): CreditMessage => ({
    kind: 'credit',
    from: 'a',
    ...REQUEST,
    number,
    endedThrough,
  });

  it('answers a repeat as the first time', () => {
    const incoming = new IncomingTransfers();
    expect(incoming.verdictOf(credit(1))).toBeUndefined();
    incoming.decide(credit(1), 'refused');
    expect(incoming.verdictOf(credit(1))).toBe('refused');
    expect(incoming.verdictOf({ ...credit(1), from: 'c' })).toBeUndefined();
  });

  it('forgets what the sender has ended, and ignores it for ever', () => {
    const incoming = new IncomingTransfers();
    incoming.decide(credit(1), 'credited');
    incoming.decide(credit(2), 'credited');
    incoming.decide(credit(3, 1), 'credited');
    expect(incoming.remembered).toBe(2);
    expect(incoming.verdictOf(credit(1))).toBe('ended');
    expect(incoming.verdictOf(credit(2))).toBe('credited');
    // A late message with an older count takes nothing back.
    incoming.decide(credit(4, 0), 'credited');
    expect(incoming.verdictOf(credit(1))).toBe('ended');
  });
});

/** Two sides with a purse each, and a network from which any message may be taken, kept or dropped. */
class Model {
  readonly money = [100, 100];
  readonly held = [0, 0];
  private readonly outgoing = ['0', '1'].map((cell) => new OutgoingTransfers(cell));
  private readonly incoming = [0, 1].map(() => new IncomingTransfers());
  private readonly network: (CreditMessage | VerdictMessage)[] = [];
  private readonly credits = new Map<string, number>();

  start(side: number, amount: number): void {
    if (this.money[side]! < amount) return;
    this.money[side]! -= amount;
    this.held[side]! += amount;
    this.outgoing[side]!.start({ to: String(1 - side), owner: '', asset: '', amount: String(amount) });
  }

  sendAgain(side: number): void {
    for (const transfer of this.outgoing[side]!.open()) {
      this.network.push(this.outgoing[side]!.creditFor(transfer));
    }
  }

  /** Any message at all, so they overtake each other; `isKept` delivers it again later. */
  deliver(draw: number, isKept: boolean, refuses: boolean): void {
    if (this.network.length === 0) return;
    const index = draw % this.network.length;
    const message = this.network[index]!;
    if (!isKept) this.network.splice(index, 1);
    if (message.kind === 'credit') this.receive(message, refuses);
    else this.end(message);
  }

  drop(draw: number): void {
    if (this.network.length > 0) this.network.splice(draw % this.network.length, 1);
  }

  /** A sound network from now on. */
  finish(): void {
    for (const side of [0, 1]) this.sendAgain(side);
    while (this.network.length > 0) this.deliver(0, false, false);
  }

  /** The receiver already owns money that is held and credited. */
  get total(): number {
    const owed = [0, 1].flatMap((side) =>
      [...this.outgoing[side]!.open()].filter((transfer) => this.credits.has(`${side}:${transfer.number}`)),
    );
    const sum = this.money[0]! + this.money[1]! + this.held[0]! + this.held[1]!;
    return owed.reduce((rest, { amount }) => rest - Number(amount), sum);
  }

  get creditsMax(): number {
    return Math.max(0, ...this.credits.values());
  }

  private receive(credit: CreditMessage, refuses: boolean): void {
    const side = Number(credit.to);
    const incoming = this.incoming[side]!;
    let verdict = incoming.verdictOf(credit);
    if (verdict === 'ended') return;
    if (verdict === undefined) {
      verdict = refuses ? 'refused' : ('credited' satisfies Verdict);
      incoming.decide(credit, verdict);
      if (verdict === 'credited') {
        this.money[side]! += Number(credit.amount);
        const key = `${credit.from}:${credit.number}`;
        this.credits.set(key, (this.credits.get(key) ?? 0) + 1);
      }
    }
    this.network.push({ kind: 'verdict', from: credit.to, to: credit.from, number: credit.number, verdict });
  }

  private end({ from, to, number, verdict }: VerdictMessage): void {
    const side = Number(to);
    const transfer = this.outgoing[side]!.find(from, number);
    if (transfer === undefined) return;
    this.outgoing[side]!.end(transfer);
    this.held[side]! -= Number(transfer.amount);
    if (verdict === 'refused') this.money[side]! += Number(transfer.amount);
  }
}

describe('the protocol', () => {
  const side = fc.integer({ min: 0, max: 1 });
  const draw = fc.nat();
  const step = fc.oneof(
    fc.tuple(fc.constant('start' as const), side, fc.integer({ min: 1, max: 40 })),
    fc.tuple(fc.constant('sendAgain' as const), side),
    fc.tuple(fc.constant('deliver' as const), draw, fc.boolean(), fc.boolean()),
    fc.tuple(fc.constant('drop' as const), draw),
  );

  it('neither makes nor loses money, whatever arrives, however often and in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const model = new Model();
        for (const taken of steps) {
          if (taken[0] === 'start') model.start(taken[1], taken[2]);
          else if (taken[0] === 'sendAgain') model.sendAgain(taken[1]);
          else if (taken[0] === 'deliver') model.deliver(taken[1], taken[2], taken[3]);
          else model.drop(taken[1]);
          expect(model.total).toBe(200);
          expect(model.creditsMax).toBeLessThanOrEqual(1);
        }
        model.finish();
        expect(model.held).toEqual([0, 0]);
        expect(model.money[0]! + model.money[1]!).toBe(200);
      }),
      { numRuns: 500 },
    );
  });
});
