import { describe, expect, it } from 'vitest';
import { Changes } from '../../domain/engine/changes.js';
import type { Order } from '../../domain/engine/state.js';
import { InvariantError } from '../../domain/invariant.js';
import { AccountChanges } from '../accounts/account-changes.js';
import { BatchKeys } from '../keys/command-keys.js';
import { CommittedView } from '../view/committed-view.js';
import { isDataFault, isOutcomeUnknown } from '../requests/failures.js';
import { checkConsecutive } from '../journal/journal-chain.js';
import type { EntryEffects } from '../journal/journal-reader.js';
import type { JournalRow } from '../journal/journal.js';
import { encodeEffects } from '../projection/effects.js';
import { Projector } from '../projection/projector.js';
import { effectRowsOf } from '../projection/tables.js';
import type { AppliedBatch } from './batch.js';
import { checkAppliedBatch, checkCommit, checkWritten } from './batch-checks.js';
import type { PreparedBatch } from './prepared-batch.js';

const PLACE = { sequence: 7, timeMs: 1_000, hash: 'a' };

const applied = (other: object = {}): AppliedBatch =>
  ({
    answers: [{}],
    changes: new Changes(1),
    commands: [{}],
    firstSequence: 8,
    lastSequence: 9,
    timeMs: 1_000,
    ...other,
  }) as unknown as AppliedBatch;

describe('a batch that was applied', () => {
  it('passes where it follows the one before', () => {
    expect(() => checkAppliedBatch(applied(), 1, PLACE)).not.toThrow();
    expect(() => checkAppliedBatch(applied({ commands: [], lastSequence: 7 }), 1, PLACE)).not.toThrow();
  });

  const changed = new Changes(1);
  changed.order({ changedInBatch: 0 } as Order);
  it.each<[string, object]>([
    ['each request of a batch has one answer', { answers: [] }],
    ['a batch begins where the one before it has ended', { firstSequence: 9 }],
    ['a batch begins where the one before it has ended', { timeMs: 999 }],
    ['each command that is carried out has a number', { lastSequence: 7 }],
    ['a batch without commands changes nothing', { commands: [], lastSequence: 8 }],
    ['a batch without commands changes nothing', { commands: [], lastSequence: 7, changes: changed }],
  ])('is refused: %s', (rule, other) => {
    const check = (): void => checkAppliedBatch(applied(other), 1, PLACE);
    expect(check).toThrow(InvariantError);
    expect(check).toThrow(rule);
  });
});

describe('a row of the journal', () => {
  const row = (other: object = {}): JournalRow =>
    ({
      firstSequence: 8,
      lastSequence: 9,
      timeMs: 1_000,
      previousHash: 'a',
      hash: 'b',
      ...other,
    }) as unknown as JournalRow;
  const check = (journal: JournalRow, firstSequence = 8): void =>
    checkCommit({ firstSequence } as PreparedBatch, journal, PLACE);

  it('passes where it follows the last one', () => {
    expect(() => check(row())).not.toThrow();
  });

  it.each<[string, object, number?]>([
    ['a row of the journal begins where the one before it ends', { firstSequence: 9 }],
    ['a row of the journal begins where the one before it ends', { firstSequence: 7 }, 7],
    ['the journal goes forward', { lastSequence: 7 }],
    ['the journal goes forward', { timeMs: 999 }],
    ['a row of the journal is chained to the one before it', { previousHash: 'c' }],
    ['a row of the journal is chained to the one before it', { hash: 'a' }],
  ])('is not sent: %s', (rule, other, firstSequence) => {
    expect(() => check(row(other), firstSequence)).toThrow(InvariantError);
    expect(() => check(row(other), firstSequence)).toThrow(rule);
  });

  it('has all that its batch has changed', () => {
    const rows = effectRowsOf(new Changes(1), [], []);
    expect(() => encodeEffects(rows, 1, 0)).toThrow('all rows of a commit are packed (0, 1)');
  });

  it('is not committed with fewer rows than were sent', () => {
    expect(() => checkWritten(1, 1)).not.toThrow();
    expect(() => checkWritten(3, undefined)).not.toThrow();
    expect(() => checkWritten(0, 1)).toThrow('each row that is sent is written (0, 1)');
  });
});

describe('entries that are read', () => {
  const entry = (firstSequence: number, lastSequence: number, previousHash: string, hash: string) =>
    ({ firstSequence, lastSequence, previousHash, hash }) as EntryEffects;

  it('pass where none is missing', () => {
    expect(() => checkConsecutive(7, [entry(8, 9, 'a', 'b'), entry(10, 10, 'b', 'c')])).not.toThrow();
  });

  it.each([
    ['the journal has no gaps', [entry(9, 9, 'a', 'b')]],
    ['the journal has no gaps', [entry(8, 9, 'a', 'b'), entry(11, 12, 'b', 'c')]],
    ['the journal is one chain', [entry(8, 9, 'a', 'b'), entry(10, 12, 'x', 'c')]],
  ])('are refused: %s', (rule, entries) => {
    expect(() => checkConsecutive(7, entries)).toThrow(rule);
  });
});

describe('what follows the commits', () => {
  const log = { warn: () => undefined, error: () => undefined };
  const projector = (): Projector => new Projector(() => Promise.reject(new Error('none')), 7, 0, log);
  const effects = encodeEffects(effectRowsOf(new Changes(1), [], []), 0, 0);
  const commit = (firstSequence: number, lastSequence: number) =>
    ({ firstSequence, lastSequence, timeMs: 0, effects, stateParts: '' }) as const;

  it('takes up one after the other', async () => {
    const tables = projector();
    tables.add(commit(8, 9));
    expect(() => tables.add(commit(11, 12))).toThrow('the tables take up one commit after the other (11, 9)');
    expect(() => tables.add(commit(8, 9))).toThrow(InvariantError);
    tables.add(commit(10, 12));
    await tables.end();
  });

  it('shows no crossed book, and none of a market that is not known', () => {
    const view = new CommittedView({ assets: new Map(), markets: new Map(), groups: new Map() });
    const change = (bids: [number, number, number][], asks: [number, number, number][]) => ({
      assets: [],
      groups: [],
      markets: [],
      books: [{ marketId: 'RED', bookSequence: 1, bids, asks }],
    });
    expect(() => view.apply(change([], []))).toThrow('readers know the market of a book (RED)');
    const market = (bookSequence: number) =>
      ({
        ...change([], []),
        books: [],
        markets: [{ view: marketView(bookSequence), changedAtMs: 0 }],
      }) as const;
    view.apply(market(3));
    expect(() => view.apply(market(2))).toThrow('the book that readers see goes forward (RED, 2, 3)');
    view.apply(change([[10, 1, 1]], [[11, 1, 1]]));
    expect(() => view.apply(change([[11, 1, 1]], []))).toThrow('no book that readers see is crossed');
  });

  const marketView = (bookSequence: number) =>
    ({ definition: { marketId: 'RED' }, bookSequence }) as Parameters<
      CommittedView['apply']
    >[0]['markets'][number]['view'];

  it('numbers the changes of an account from the last number there is', async () => {
    const changes = new Changes(1);
    changes.order({ changedInBatch: 0, accountId: 5, orderId: 6 } as Order);
    const client = { query: () => Promise.resolve({ rows: [] }) };
    const numbers = new AccountChanges(client as unknown as ConstructorParameters<typeof AccountChanges>[0]);
    await expect(numbers.number(changes, new Map(), 1)).rejects.toThrow(
      'the last number of an account is known',
    );
  });
});

describe('a key', () => {
  it('is used once', () => {
    const keys = new BatchKeys([], 0);
    const idempotency = { owner: 'ann', key: 'k', fingerprint: 'f' };
    const remember = (): void =>
      keys.rememberRequest({ commands: [], idempotency }, [{ ok: true, result: { type: 'done' } }]);
    remember();
    expect(remember).toThrow(new InvariantError('a key is used once'));
  });
});

describe('a violated invariant', () => {
  it('is blamed on what was asked, once it is known that nothing was committed', () => {
    const error = new InvariantError('a rule');
    expect([isDataFault(error), isOutcomeUnknown(error)]).toEqual([true, true]);
  });
});
