import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkLinearizable,
  checkLinearizableParts,
  History,
  type Operation,
  type SequentialModel,
} from './linearizability.js';

/** A register with write, read and add operations. */
type RegisterInput =
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly value: number }
  | { readonly type: 'add'; readonly value: number };

/** A read or an addition returns the value afterwards; a write returns the written value. */
const REGISTER: SequentialModel<number, RegisterInput, number> = {
  initial: 0,
  step(state, input, output) {
    const after = input.type === 'read' ? state : input.type === 'write' ? input.value : state + input.value;
    return output === undefined || output === after ? after : undefined;
  },
  textOf: String,
};

type RegisterOperation = Operation<RegisterInput, number>;

const read = (calledAt: number, returnedAt: number, output: number): RegisterOperation => ({
  input: { type: 'read' },
  output,
  calledAt,
  returnedAt,
});
const write = (calledAt: number, returnedAt: number | undefined, value: number): RegisterOperation => ({
  input: { type: 'write', value },
  output: returnedAt === undefined ? undefined : value,
  calledAt,
  returnedAt,
});

const isLinearizable = (history: readonly RegisterOperation[]): boolean =>
  checkLinearizable(REGISTER, history).isLinearizable;

describe('known histories', () => {
  it.each<[what: string, expected: boolean, history: RegisterOperation[]]>([
    ['nothing', true, []],
    ['one after the other', true, [write(1, 2, 5), read(3, 4, 5)]],
    ['a read of what was never written', false, [write(1, 2, 5), read(3, 4, 6)]],
    ['a stale read', false, [write(1, 2, 5), write(3, 4, 6), read(5, 6, 5)]],
    [
      'reads on either side of a write that is under way',
      true,
      [write(1, 6, 5), read(2, 3, 0), read(4, 5, 5)],
    ],
    ['reads that go back', false, [write(1, 6, 5), read(2, 3, 5), read(4, 5, 0)]],
    ['two writes at once, read in either order', true, [write(1, 4, 5), write(2, 3, 6), read(5, 6, 5)]],
    [
      'two writes at once, read in both orders',
      false,
      [write(1, 4, 5), write(2, 3, 6), read(5, 6, 5), read(7, 8, 6)],
    ],
    ['an unanswered write that is seen late', true, [write(1, undefined, 5), read(2, 3, 0), read(4, 5, 5)]],
    ['an unanswered write that is never seen', true, [write(1, undefined, 5), read(2, 3, 0), read(4, 5, 0)]],
    [
      'an unanswered write that comes and goes',
      false,
      [write(1, undefined, 5), read(2, 3, 5), read(4, 5, 0)],
    ],
    ['an unanswered write that is seen before it was sent', false, [read(1, 2, 5), write(3, undefined, 5)]],
    [
      'an unanswered write between two that are answered',
      true,
      [write(1, undefined, 5), write(2, 3, 6), read(4, 5, 6), read(6, 7, 5)],
    ],
  ])('%s: %s', (_what, expected, history) => {
    expect(isLinearizable(history)).toBe(expected);
  });

  it('are told with the operation at which no order goes on', () => {
    const history = [write(1, 2, 5), write(3, 4, 6), read(5, 6, 5)];
    const { longest, stuckAt } = checkLinearizable(REGISTER, history);
    expect(longest).toEqual(history.slice(0, 2));
    expect(stuckAt).toBe(history[2]);
  });
});

describe('histories made from a run one by one', () => {
  /** Operations in the order of their effects, each with the distances of its call and its return from the effect. */
  const runs = fc.array(
    fc.record({
      input: fc.oneof(
        fc.constant<RegisterInput>({ type: 'read' }),
        fc.record({ type: fc.constant('write' as const), value: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ type: fc.constant('add' as const), value: fc.integer({ min: 1, max: 3 }) }),
      ),
      before: fc.double({ min: 0.01, max: 4, noNaN: true }),
      after: fc.double({ min: 0.01, max: 4, noNaN: true }),
      fate: fc.constantFrom('answered', 'answered', 'answered', 'unknown', 'lost'),
    }),
    { maxLength: 40 },
  );

  /** Each operation takes effect at its place, unless it is lost. */
  const historyOf = (run: typeof runs extends fc.Arbitrary<infer T> ? T : never): RegisterOperation[] => {
    let state = 0;
    return run.map(({ input, before, after, fate }, place) => {
      if (fate !== 'lost') state = REGISTER.step(state, input, undefined)!;
      const isAnswered = fate === 'answered';
      return {
        input,
        output: isAnswered ? state : undefined,
        calledAt: place - before,
        returnedAt: isAnswered ? place + after : undefined,
      };
    });
  };

  it('are linearizable however they overlap, with operations of which nobody knows', () => {
    fc.assert(fc.property(runs, (run) => isLinearizable(historyOf(run))));
  });

  const additions = fc.array(
    fc.record({
      input: fc.record({ type: fc.constant('add' as const), value: fc.integer({ min: 1, max: 3 }) }),
      before: fc.double({ min: 0.01, max: 3, noNaN: true }),
      after: fc.double({ min: 0.01, max: 3, noNaN: true }),
      fate: fc.constant('answered'),
    }),
    { minLength: 2, maxLength: 20 },
  );

  /** Appends a read of the expected final value, plus this error. */
  const withLastRead = (history: readonly RegisterOperation[], error: number): RegisterOperation[] => {
    const sum = history.reduce((total, { input }) => total + (input.type === 'add' ? input.value : 0), 0);
    return [...history, read(1_000, 1_001, sum + error)];
  };

  it('are refused with an update that is lost, or that took effect twice', () => {
    fc.assert(
      fc.property(additions, fc.nat(), (run, which) => {
        const silent = historyOf(run).map((operation) => ({
          ...operation,
          returnedAt: operation.returnedAt!,
        }));
        const { input } = silent[which % silent.length]!;
        const value = input.type === 'add' ? input.value : 0;
        expect(isLinearizable(withLastRead(silent, 0))).toBe(true);
        expect(isLinearizable(withLastRead(silent, value))).toBe(false);
        expect(isLinearizable(withLastRead(silent, -value))).toBe(false);
      }),
    );
  });

  it('are refused with a read that is older than what was there when it began', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), fc.nat(), fc.nat(), (writes, one, two) => {
        const history = Array.from({ length: writes }, (_, place) =>
          write(2 * place, 2 * place + 1, place + 1),
        );
        const after = 1 + (one % (writes - 1));
        const stale = two % after;
        const at = 2 * after + 1;
        // A read after `after` writes and the one behind them, and before all others.
        expect(isLinearizable([...history, read(at + 0.1, at + 0.2, after + 1)])).toBe(true);
        expect(isLinearizable([...history, read(at + 0.1, at + 0.2, stale)])).toBe(false);
      }),
    );
  });
});

describe('any short history', () => {
  const anyOperation = fc.record({
    input: fc.oneof(
      fc.constant<RegisterInput>({ type: 'read' }),
      fc.record({ type: fc.constant('write' as const), value: fc.integer({ min: 1, max: 2 }) }),
      fc.record({ type: fc.constant('add' as const), value: fc.integer({ min: 1, max: 2 }) }),
    ),
    output: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    from: fc.double({ min: 0, max: 10, noNaN: true }),
    takes: fc.double({ min: 0.1, max: 6, noNaN: true }),
  });

  it('is judged as by somebody who tries every order', () => {
    const verdicts = { true: 0, false: 0 };
    fc.assert(
      fc.property(fc.array(anyOperation, { maxLength: 5 }), (drawn) => {
        const history = drawn.map(({ input, output, from, takes }) => ({
          input,
          output,
          calledAt: from,
          returnedAt: output === undefined ? undefined : from + takes,
        }));
        const verdict = isLinearizable(history);
        verdicts[`${verdict}`]++;
        expect(verdict).toBe(hasSomeOrder(history, REGISTER.initial));
      }),
      { numRuns: 500 },
    );
    expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(20);
  });

  /** Tries as next each operation that no other one precedes. */
  function hasSomeOrder(left: readonly RegisterOperation[], state: number): boolean {
    if (left.every(({ returnedAt }) => returnedAt === undefined)) return true;
    const firstReturn = Math.min(...left.map(({ returnedAt }) => returnedAt ?? Infinity));
    return left.some((operation) => {
      if (operation.calledAt > firstReturn) return false;
      const after = REGISTER.step(state, operation.input, operation.output);
      return (
        after !== undefined &&
        hasSomeOrder(
          left.filter((other) => other !== operation),
          after,
        )
      );
    });
  }
});

describe('a history in parts', () => {
  type KeyedInput = RegisterInput & { readonly key: string };
  const model: SequentialModel<number, KeyedInput, number> = REGISTER;
  const of = (key: string, operation: RegisterOperation): Operation<KeyedInput, number> => ({
    ...operation,
    input: { ...operation.input, key },
  });

  it('is judged part by part', () => {
    const good = [of('a', write(1, 2, 5)), of('b', read(3, 4, 0)), of('a', read(5, 6, 5))];
    expect(checkLinearizableParts(model, good, ({ key }) => key).isLinearizable).toBe(true);
    const bad = [...good, of('b', read(7, 8, 5))];
    expect(checkLinearizableParts(model, bad, ({ key }) => key)).toMatchObject({
      isLinearizable: false,
      stuckAt: bad[3],
    });
  });

  it('with many operations takes no longer than its parts', () => {
    const keys = Array.from({ length: 100 }, (_, key) => String(key));
    const many = keys.flatMap((key) =>
      Array.from({ length: 8 }, (_, place) => of(key, write(place, 100 + place, place + 1))),
    );
    const last = keys.map((key) => of(key, read(200, 201, 3)));
    expect(checkLinearizableParts(model, [...many, ...last], ({ key }) => key).isLinearizable).toBe(true);
  });
});

describe('a history that is being made', () => {
  it('has what was answered, and what nobody knows of, but not what certainly did not happen', async () => {
    const history = new History<RegisterInput, number>();
    let finishFirst = (_: number): void => undefined;
    const first = history.perform(
      { type: 'write', value: 1 },
      () => new Promise((resolve) => (finishFirst = resolve)),
    );
    await history.perform({ type: 'read' }, () => Promise.resolve(0));
    await history.perform({ type: 'write', value: 2 }, () => Promise.resolve(undefined));
    await expect(
      history.perform({ type: 'read' }, () => Promise.reject(new Error('refused'))),
    ).rejects.toThrow();
    finishFirst(1);
    await first;
    expect(history.operations).toEqual([
      { input: { type: 'read' }, output: 0, calledAt: 2, returnedAt: 3 },
      { input: { type: 'write', value: 2 }, output: undefined, calledAt: 4, returnedAt: undefined },
      { input: { type: 'write', value: 1 }, output: 1, calledAt: 1, returnedAt: 6 },
    ]);
  });
});
