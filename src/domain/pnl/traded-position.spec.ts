import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Side } from '../engine/types.js';
import { amountOf, formatAmount, UNITS_PER_ONE } from '../money/amount.js';
import { ComingCloses } from './coming-closes.js';
import type { OpenLot } from './open-lots.js';
import { NO_PNL, pnlBetween, unrealizedAt } from './pnl.js';
import { COST_METHODS, NOTHING_TRADED, type PositionFill, TradedPosition } from './traded-position.js';

const ONE = UNITS_PER_ONE;
const LOT = amountOf('0.001');

/** Signed lots at a price, such as `+2 @ 100`; the sequence is their place in the list. */
function fillsOf(...texts: string[]): PositionFill[] {
  return texts.map((text, i) => {
    const [, sign, size, price, fee = '0'] = /^([+-])(\S+) @ (\S+)(?: fee (\S+))?$/.exec(text)!;
    return {
      sequence: i + 1,
      side: sign === '+' ? 'buy' : 'sell',
      lots: Number(amountOf(size!) / LOT),
      price: amountOf(price!),
      fee: amountOf(fee),
    };
  });
}

function after(...texts: string[]): TradedPosition {
  const position = TradedPosition.from(LOT);
  for (const fill of fillsOf(...texts)) position.fill(fill);
  return position;
}

/** `size, cost, realized` by each method. */
function notesOf({ totals }: TradedPosition): string {
  return COST_METHODS.map(
    (method) =>
      `${formatAmount(BigInt(totals.sizeLots) * LOT)} for ${formatAmount(totals[method].costBasis)}, made ${formatAmount(totals[method].realizedPnl)}`,
  ).join(' | ');
}

describe('a position, fill by fill (average cost | first in, first out)', () => {
  it.each([
    ['is flat at first', [], '0 for 0, made 0 | 0 for 0, made 0'],
    ['adds up what it opens', ['+1 @ 100', '+1 @ 110'], '2 for 210, made 0 | 2 for 210, made 0'],
    [
      'closes a long at its average, or the oldest first',
      ['+1 @ 100', '+1 @ 110', '-1 @ 120'],
      '1 for 105, made 15 | 1 for 110, made 20',
    ],
    [
      'closes a short at its average, or the oldest first',
      ['-1 @ 100', '-1 @ 110', '+1 @ 90'],
      '-1 for 105, made 15 | -1 for 110, made 10',
    ],
    [
      'closes part of the oldest lot',
      ['+2 @ 100', '+2 @ 140', '-1 @ 150', '-2 @ 150'],
      '1 for 120, made 90 | 1 for 140, made 110',
    ],
    [
      'agrees with itself once it is flat',
      ['+1 @ 100', '+2 @ 110', '-1 @ 120', '-2 @ 90'],
      '0 for 0, made -20 | 0 for 0, made -20',
    ],
    [
      'begins anew where it crosses zero',
      ['+1 @ 100', '-3 @ 110', '+1 @ 105'],
      '-1 for 110, made 15 | -1 for 110, made 15',
    ],
    [
      'rounds the average cost of a partial close down',
      ['+0.003 @ 1', '-0.001 @ 1', '+0.005 @ 0.000000000000001', '-0.001 @ 2'],
      '0.006 for 0.001714285714285719, made 0.001714285714285714 | 0.006 for 0.001000000000000005, made 0.001',
    ],
  ])('%s', (_what, texts, notes) => {
    expect(notesOf(after(...texts))).toBe(notes);
  });

  it('adds up fees apart from what it makes', () => {
    const { totals } = after('+1 @ 100 fee 0.1', '-1 @ 110 fee 0.11');
    expect([totals.fees, totals.average_cost.realizedPnl]).toEqual([amountOf('0.21'), amountOf('10')]);
  });

  it('is closed at the settlement value, which a correction changes', () => {
    const long = after('+10 @ 0.4', '-2 @ 0.5');
    const short = after('-8 @ 0.4');
    expect([long.settle(ONE), short.settle(ONE)]).toEqual([8_000, -8_000]);
    expect(notesOf(long)).toBe('0 for 0, made 5 | 0 for 0, made 5');
    expect(notesOf(short)).toBe('0 for 0, made -4.8 | 0 for 0, made -4.8');
    long.correctSettlement(8_000, ONE, amountOf('0.5'));
    short.correctSettlement(-8_000, ONE, amountOf('0.5'));
    expect(notesOf(long)).toBe('0 for 0, made 1 | 0 for 0, made 1');
    expect(notesOf(short)).toBe('0 for 0, made -0.8 | 0 for 0, made -0.8');
  });
});

describe('a queue that is read on as it is needed', () => {
  /** How many lots of its queue the fills will close. */
  function closedBy(position: TradedPosition, fills: readonly Pick<PositionFill, 'side' | 'lots'>[]): number {
    const closes = new ComingCloses(position.totals.sizeLots);
    for (const { side, lots } of fills) closes.add(side, lots);
    return closes.queuedLots;
  }

  it('closes what a queue known from the start closes, in any portions, whatever is forgotten of it', () => {
    const fill = fc.record({
      side: fc.constantFrom<Side>('buy', 'sell'),
      lots: fc.integer({ min: 1, max: 20 }),
      price: fc.bigInt({ min: 1n, max: 10n ** 6n }).map((ticks) => ticks * 10n ** 12n),
    });
    const before = fc.constantFrom('nothing', 'it is taken up anew', 'its end is forgotten');
    const fills = fc.array(fill, { minLength: 1, maxLength: 5 });
    const steps = fc.array(fc.tuple(fills, before, fc.integer({ min: 1, max: 4 })), { maxLength: 30 });
    fc.assert(
      fc.property(steps, (all) => {
        const known = TradedPosition.from(LOT);
        let stored: OpenLot[] = [];
        let unstored: OpenLot[] = [];
        let read = TradedPosition.from(LOT);
        let sequence = 0;
        for (const [coming, happened, portion] of all) {
          if (happened !== 'nothing') {
            stored = [...stored, ...unstored];
            unstored = [];
          }
          if (happened === 'it is taken up anew') read = TradedPosition.from(LOT, read.totals);
          if (happened === 'its end is forgotten') {
            expect(read.queue.keep(portion - 1)).toBeLessThanOrEqual(portion - 1);
          }
          const closed = closedBy(read, coming);
          while (read.queue.lacks(closed)) {
            const from = read.queue.readUpTo;
            const found = stored.filter((lot) => lot.sequence > from).slice(0, portion);
            read.queue.read(found, found.length < portion);
          }
          for (const { side, lots, price } of coming) {
            const next = { sequence: ++sequence, side, lots, price, fee: 0n };
            const { openedLots } = read.fill(next);
            if (openedLots > 0) unstored.push({ sequence, lots: openedLots, price });
            known.fill(next);
            expect(read.totals).toEqual(known.totals);
          }
        }
      }),
    );
  });

  it('is not read where nothing is closed, however little of it is known', () => {
    const { totals } = after('+1 @ 100', '+1 @ 110');
    const position = TradedPosition.from(LOT, totals);
    expect(position.queue.lacks(closedBy(position, [{ side: 'buy', lots: 1_000 }]))).toBe(false);
    expect(position.queue.lacks(closedBy(position, [{ side: 'sell', lots: 1_000 }]))).toBe(true);
  });

  it('is not read where the whole position is closed', () => {
    const { totals } = after('+1 @ 100', '+1 @ 110');
    const position = TradedPosition.from(LOT, totals);
    expect(closedBy(position, [{ side: 'sell', lots: 5_000 }])).toBe(0);
    expect(position.queue.lacks(0)).toBe(false);
    position.fill({ sequence: 9, side: 'sell', lots: 5_000, price: 120n * ONE, fee: 0n });
    expect(notesOf(position)).toBe('-3 for 360, made 30 | -3 for 360, made 30');
    expect(position.totals.head).toEqual({ sequence: 9, closedLots: 0 });
  });
});

describe('random traders', () => {
  const TRADERS = 4;
  const trade = fc.record({
    buyer: fc.nat(TRADERS - 1),
    others: fc.integer({ min: 1, max: TRADERS - 1 }),
    lots: fc.integer({ min: 1, max: 1_000 }),
    price: fc.integer({ min: 1, max: 99 }).map((ticks) => BigInt(ticks) * 10n ** 16n),
    fees: fc.tuple(fc.bigInt({ min: 0n, max: ONE }), fc.bigInt({ min: 0n, max: ONE })),
  });
  const value = fc.integer({ min: 0, max: 100 }).map((percent) => BigInt(percent) * 10n ** 16n);

  /** Every trade has two sides; the house gets the fees. */
  function market(trades: readonly (typeof trade extends fc.Arbitrary<infer T> ? T : never)[]) {
    const positions = Array.from({ length: TRADERS }, () => TradedPosition.from(LOT));
    let house = 0n;
    trades.forEach(({ buyer, others, lots, price, fees }, i) => {
      const seller = (buyer + others) % TRADERS;
      const common = { sequence: i + 1, lots, price };
      positions[buyer]!.fill({ ...common, side: 'buy', fee: fees[0] });
      positions[seller]!.fill({ ...common, side: 'sell', fee: fees[1] });
      house += fees[0] + fees[1];
    });
    return { positions, house };
  }

  it('make nothing together but what the house takes, at any settlement value and after any correction', () => {
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 80 }), value, value, (trades, settled, corrected) => {
        const { positions, house } = market(trades);
        const held = positions.map((position) => position.settle(settled));
        const nets = () =>
          COST_METHODS.map((method) =>
            positions.reduce(
              (sum, { totals }) => sum + pnlBetween(NOTHING_TRADED, totals, method, 0n).net!,
              0n,
            ),
          );
        expect(nets()).toEqual([-house, -house]);
        positions.forEach((position, i) => position.correctSettlement(held[i]!, settled, corrected));
        expect(nets()).toEqual([-house, -house]);
        for (const { totals } of positions) {
          expect(totals).toMatchObject({ sizeLots: 0, head: null });
          expect(totals.fifo).toEqual(totals.average_cost);
          expect(totals.fifo.costBasis).toBe(0n);
        }
      }),
    );
  });

  it('make nothing together while positions are open, whatever common price they are marked at', () => {
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 80 }), value, (trades, price) => {
        const { positions, house } = market(trades);
        const mark = { price, source: 'last_price' } as const;
        for (const method of COST_METHODS) {
          const net = positions.reduce((sum, { totals }) => {
            const unrealized = unrealizedAt(totals, method, LOT, mark);
            return sum + pnlBetween(NOTHING_TRADED, totals, method, unrealized).net!;
          }, 0n);
          expect(net).toBe(-house);
        }
      }),
    );
  });

  it('are told the same net by both methods at every moment', () => {
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 40 }), value, (trades, price) => {
        const mark = { price, source: 'last_price' } as const;
        for (const { totals } of market(trades).positions) {
          const [average, fifo] = COST_METHODS.map(
            (method) =>
              pnlBetween(NOTHING_TRADED, totals, method, unrealizedAt(totals, method, LOT, mark)).net,
          );
          expect(fifo).toBe(average);
        }
      }),
    );
  });

  it('have, by first in first out, what closing lot by lot would give', () => {
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 40 }), (trades) => {
        const { positions } = market(trades);
        positions.forEach((position, trader) => {
          const lots: { price: bigint; isLong: boolean }[] = [];
          let realized = 0n;
          for (const { buyer, others, lots: count, price } of trades) {
            const isBuyer = buyer === trader;
            if (!isBuyer && (buyer + others) % TRADERS !== trader) continue;
            for (let i = 0; i < count; i++) {
              if (lots.length === 0 || lots[0]!.isLong === isBuyer) lots.push({ price, isLong: isBuyer });
              else realized += isBuyer ? lots.shift()!.price - price : price - lots.shift()!.price;
            }
          }
          const cost = lots.reduce((sum, lot) => sum + lot.price, 0n);
          expect(position.totals.fifo).toEqual({
            costBasis: (cost * LOT) / ONE,
            realizedPnl: (realized * LOT) / ONE,
          });
          expect(Math.abs(position.totals.sizeLots)).toBe(lots.length);
        });
      }),
      { numRuns: 30 },
    );
  });

  it('have made nothing where nothing happened', () => {
    expect(pnlBetween(NOTHING_TRADED, NOTHING_TRADED, 'fifo', 0n)).toEqual(NO_PNL);
  });
});
