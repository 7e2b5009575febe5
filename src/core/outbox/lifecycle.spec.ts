import { Logger } from '@nestjs/common';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deposit, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { Command } from '../../domain/engine/commands.js';
import type { Approvals, Proposal } from '../../kit/approvals/approvals.service.js';
import type { CoreService } from '../core.service.js';
import type { CoreAnswer, CoreRequest } from '../core.types.js';
import { Lifecycle, type LifecycleRow, type Step } from './lifecycle.js';

type Status = 'pending_approval' | 'pending' | 'sent' | 'arrived' | 'lost';
type Due = 'hold' | 'pay' | 'release';

@Entity('letters')
class LetterEntity implements LifecycleRow<Status, Due> {
  @PrimaryGeneratedColumn('identity', { name: 'letter_id', type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly letterId: string;

  @Column({ name: 'account_id', type: 'bigint' })
  accountId: string;

  @Column({ name: 'status', type: 'text' })
  status: Status;

  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;

  @Column({ name: 'due_command', type: 'text', nullable: true })
  dueCommand: Due | null;

  @Column({ name: 'requested_by', type: 'text', nullable: true })
  requestedBy: string | null;

  @Column({ name: 'accepted_at', type: 'timestamptz', nullable: true })
  acceptedAt: Date | null;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}

type Submit = (request: CoreRequest) => Promise<CoreAnswer>;

const followed: Proposal[] = [];
const approvals = {
  nameOf: () => Promise.resolve('Ann'),
  follow: (_manager: unknown, proposal: Proposal) => Promise.resolve(void followed.push(proposal)),
} as unknown as Approvals;

class Letters extends Lifecycle<LetterEntity, Status, Due, 'reason'> {
  constructor(submit: Submit, rows: Repository<LetterEntity>) {
    super({ submit } as CoreService, rows, approvals, {
      owner: 'letter',
      idColumn: 'letterId',
      first: ['hold'],
      laterMessage: 'It may be held later.',
      entity: LetterEntity,
      table: 'letters',
      history: 'letter_states',
      reasons: ['reason'],
      steps: {
        pending_approval: { pending: 'keep', lost: 'release' },
        pending: { sent: 'keep', lost: 'release' },
        sent: { arrived: 'pay', lost: 'release' },
        arrived: {},
        lost: {},
      },
    });
  }

  protected idOf({ letterId }: LetterEntity): string {
    return letterId;
  }

  protected commandsFor({ letterId, accountId }: LetterEntity, due: Due): Command[] {
    const hold = { ownerKind: 'transfer', ownerId: `letter_${letterId}` } as const;
    if (due === 'hold') {
      return [{ type: 'place_hold', ...hold, accountId: Number(accountId), asset: 'USD', amount: '10' }];
    }
    if (due === 'release') return [{ type: 'release_hold', ...hold }];
    return [{ type: 'pay_from_hold', ...hold, credit: { rail: 'test' }, amount: null, reason: 'withdrawal' }];
  }

  protected notFound = () => new Error('no such letter');
  protected impossible = ({ status }: LetterEntity, to: Status) => new Error(`${status} to ${to}`);
  protected notWaiting = ({ status }: LetterEntity) => new Error(`${status} waits for none`);
  protected ownerOf = () => 'user:ann';
  protected proposalOf = (...[, { letterId }]: [unknown, LetterEntity, ...unknown[]]) =>
    ({ summary: letterId }) as Proposal;
}

let database: TestDatabase;
let core: TestCore;
let dataSource: DataSource;
let rows: Repository<LetterEntity>;
let letters: Letters;
let accountId: number;
let accounts = 0;

const submit: Submit = (request) => core.sequencer.submit(request);
const unavailable: Submit = () => Promise.reject(new Error('the core cannot be asked'));

beforeAll(async () => {
  database = await createTestDatabase();
  core = await TestCore.start(database.url);
  await core.run({ type: 'create_asset', code: 'USD', scale: 2 });
  dataSource = await new DataSource({
    type: 'postgres',
    url: database.url,
    entities: [LetterEntity],
  }).initialize();
  await dataSource.query(`
    CREATE TABLE letters (letter_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account_id bigint NOT NULL,
      status text NOT NULL, reason text, due_command text, requested_by text, accepted_at timestamptz,
      updated_at timestamptz NOT NULL DEFAULT now() - interval '1 minute');
    CREATE TABLE letter_states (state_id bigint GENERATED ALWAYS AS IDENTITY, letter_id bigint NOT NULL,
      status text NOT NULL, changed_by text, reason text)`);
  rows = dataSource.getRepository(LetterEntity);
  letters = new Letters(submit, rows);
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  vi.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await dataSource.destroy();
  await core.stop();
  await database.drop();
});
beforeEach(async () => {
  await dataSource.query('TRUNCATE letters, letter_states');
  followed.length = 0;
  const name = `account ${++accounts}`;
  const made = await core.run({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
  if (made.type !== 'account') throw new Error('no account was made');
  ({ accountId } = made);
  await core.submit([deposit(accountId, 'USD', '100')]);
});

/** One whose money is held, in the state. */
async function letter(status: Status = 'pending'): Promise<string> {
  const [{ letter_id: letterId }] = await dataSource.query<[{ letter_id: string }]>(
    `INSERT INTO letters (account_id, status, due_command, requested_by) VALUES ($1, $2, 'hold', 'user:bob')
     RETURNING letter_id`,
    [accountId, status],
  );
  await letters.settle(letterId);
  return letterId;
}

async function money(): Promise<string> {
  const [{ available, held }] = (await core.query<{ available: string; held: string }>(
    `SELECT trim_scale(available / 1e18)::text AS available, trim_scale(held / 1e18)::text AS held
     FROM balances WHERE account_id = $1`,
    [accountId],
  )) as [{ available: string; held: string }];
  return `${available} ${held}`;
}

const historyOf = async (letterId: string): Promise<string[]> => {
  const states = await dataSource.query<Record<'status' | 'changed_by' | 'reason', string | null>[]>(
    'SELECT status, changed_by, reason FROM letter_states WHERE letter_id = $1 ORDER BY state_id',
    [letterId],
  );
  return states.map(({ status, changed_by, reason }) => [status, changed_by, reason].join(' ').trim());
};
const to = (status: Status, reason?: string): Step<LetterEntity, Status, 'reason'> => ({
  to: status,
  by: 'user:op',
  ...(reason !== undefined && { reason }),
});

describe('a row', () => {
  it('goes step by step, each with its money and in its history', async () => {
    const id = await letter();
    await letters.take(id, () => to('sent', 'by ship'));
    expect(await money()).toBe('90 10');
    const arrived = await letters.take(id, () => to('arrived'));
    expect(arrived).toMatchObject({ status: 'arrived', reason: null });
    expect(await money()).toBe('90 0');
    expect(await historyOf(id)).toEqual(['pending user:bob', 'sent user:op by ship', 'arrived user:op']);
    expect(await rows.findOneByOrFail({ letterId: id })).toMatchObject({ dueCommand: null, reason: null });
  });

  it('takes no step that is not declared, and none before it is accepted', async () => {
    const id = await letter();
    await expect(letters.take(id, () => to('arrived'))).rejects.toThrow('pending to arrived');
    expect(await letters.step(dataSource.manager, id, to('arrived'))).toBeUndefined();
    await letters.take(id, () => to('lost'));
    await expect(letters.take(id, () => to('sent'))).rejects.toThrow('lost to sent');
    await rows.update({ letterId: id }, { acceptedAt: null });
    await expect(letters.take(id, () => to('lost'))).rejects.toThrow('no such letter');
    expect(await historyOf(id)).toEqual(['pending user:bob', 'lost user:op']);
  });

  it('takes one of many steps at once', async () => {
    const id = await letter('pending');
    await letters.take(id, () => to('sent'));
    const ends = ['arrived', 'lost'] as const;
    const steps = await Promise.allSettled([
      ...ends.map((end) => letters.take(id, () => to(end))),
      ...ends.map(async (end) => {
        const taken = await letters.step(dataSource.manager, id, to(end));
        if (taken === undefined) throw new Error('another was first');
        await letters.settle(id);
      }),
    ]);
    expect(steps.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await historyOf(id)).toHaveLength(3);
    const { status } = await rows.findOneByOrFail({ letterId: id });
    expect(await money()).toBe(status === 'arrived' ? '90 0' : '100 0');
  });

  it('waits for the money of the step before, which a sweep moves after a crash', async () => {
    const id = await letter();
    const dying = new Letters(unavailable, rows);
    await dying.take(id, () => to('lost'));
    expect([await money(), (await rows.findOneByOrFail({ letterId: id })).dueCommand]).toEqual([
      '90 10',
      'release',
    ]);
    expect(await dying.step(dataSource.manager, id, to('lost'))).toBeUndefined();
    await expect(dying.take(id, () => to('lost'))).rejects.toThrow('the core cannot be asked');
    expect(await letters.sweep(0)).toBe(1);
    expect(await letters.sweep(0)).toBe(0);
    expect(await money()).toBe('100 0');
  });

  it('is not changed by a decision that throws or answers null', async () => {
    const id = await letter();
    await expect(letters.take(id, () => Promise.reject(new Error('not so')))).rejects.toThrow('not so');
    expect(await letters.take(id, () => null)).toMatchObject({ status: 'pending', dueCommand: null });
    expect(await historyOf(id)).toEqual(['pending user:bob']);
  });

  it('that waits for a second person is followed by its approval from its acceptance on', async () => {
    const id = await letter('pending_approval');
    await letters.settle(id);
    expect(followed.map(({ summary }) => summary)).toEqual([id]);
    await dataSource.transaction((manager) => letters.lockWaiting(manager, id));
    await letters.take(id, () => to('pending'));
    await expect(dataSource.transaction((manager) => letters.lockWaiting(manager, id))).rejects.toThrow(
      'pending waits for none',
    );
    await letter('pending');
    expect(followed).toHaveLength(1);
  });
});
