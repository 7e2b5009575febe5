import { Logger } from '@nestjs/common';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Command } from '../../domain/engine/commands.js';
import { withHistory } from '../../kit/database/with-history.js';
import { ServiceFailure } from '../../kit/coded-error.js';
import { deposit, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { CoreService } from '../core.service.js';
import type { CoreAnswer, CoreRequest } from '../requests/requests.js';
import { Outbox, type OutboxRow } from './outbox.js';

type ParcelDue = 'hold' | 'pay';

/** Holds an amount and a fee of another asset, and pays both out later. */
@Entity('parcels')
class ParcelEntity implements OutboxRow<ParcelDue> {
  @PrimaryGeneratedColumn('identity', { name: 'parcel_id', type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly parcelId: string;

  @Column({ name: 'account_id', type: 'bigint' })
  accountId: string;

  @Column({ name: 'amount', type: 'text' })
  amount: string;

  @Column({ name: 'fee', type: 'text' })
  fee: string;

  @Column({ name: 'due_command', type: 'text', nullable: true })
  dueCommand: ParcelDue | null;

  @Column({ name: 'requested_by', type: 'text', nullable: true })
  requestedBy: string | null;

  @Column({ name: 'accepted_at', type: 'timestamptz', nullable: true })
  acceptedAt: Date | null;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}

const TABLES = `
  CREATE TABLE parcels (
    parcel_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account_id bigint NOT NULL, amount text NOT NULL,
    fee text NOT NULL, due_command text, requested_by text, accepted_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now() - interval '1 minute');
  CREATE TABLE parcel_states (parcel_id bigint NOT NULL)`;

type Submit = (request: CoreRequest) => Promise<CoreAnswer>;

class Parcels extends Outbox<ParcelEntity, ParcelDue> {
  constructor(submit: Submit, rows: Repository<ParcelEntity>) {
    super({ submit } as CoreService, rows, {
      owner: 'parcel',
      idColumn: 'parcelId',
      first: ['hold'],
      laterMessage: 'It may be held later.',
    });
  }

  protected idOf({ parcelId }: ParcelEntity): string {
    return parcelId;
  }

  protected commandsFor({ parcelId, accountId, amount, fee }: ParcelEntity, due: ParcelDue): Command[] {
    return [
      { ownerId: `parcel_${parcelId}`, asset: 'USD', amount },
      { ownerId: `parcel_${parcelId}:fee`, asset: 'BTC', amount: fee },
    ].map(({ ownerId, asset, amount }): Command => {
      const hold = { ownerKind: 'transfer', ownerId } as const;
      return due === 'hold'
        ? { type: 'place_hold', ...hold, accountId: Number(accountId), asset, amount }
        : { type: 'pay_from_hold', ...hold, credit: { rail: 'test' }, amount: null, reason: 'withdrawal' };
    });
  }

  protected async accept({ parcelId }: ParcelEntity): Promise<ParcelEntity> {
    await this.rows.query(
      withHistory(
        { table: 'parcel_states', columns: ['parcel_id'] },
        `UPDATE parcels SET due_command = NULL, accepted_at = now()
         WHERE parcel_id = $1 AND due_command = 'hold' RETURNING parcel_id`,
      ),
      [parcelId],
    );
    return this.find(parcelId);
  }
}

let database: TestDatabase;
let core: TestCore;
let dataSource: DataSource;
let rows: Repository<ParcelEntity>;
let accountId: number;
let accounts = 0;

const submit: Submit = (request) => core.sequencer.submit(request);

beforeAll(async () => {
  database = await createTestDatabase();
  core = await TestCore.start(database.url);
  await core.run({ type: 'create_asset', code: 'USD', scale: 2 });
  await core.run({ type: 'create_asset', code: 'BTC', scale: 8 });
  dataSource = await new DataSource({
    type: 'postgres',
    url: database.url,
    entities: [ParcelEntity],
  }).initialize();
  await dataSource.query(TABLES);
  rows = dataSource.getRepository(ParcelEntity);
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  vi.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await dataSource.destroy();
  await core.stop();
  await database.drop();
});

/** Each test has an account of its own, with 100 USD and 1 BTC. */
beforeEach(async () => {
  await dataSource.query('TRUNCATE parcels, parcel_states');
  const name = `account ${++accounts}`;
  const made = await core.run({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
  if (made.type !== 'account') throw new Error('no account was made');
  ({ accountId } = made);
  await core.submit([deposit(accountId, 'USD', '100'), deposit(accountId, 'BTC', '1')]);
});

/** As a module commits it, before the core is asked. */
async function parcel(amount: string, fee = '0.1', due: ParcelDue = 'hold'): Promise<ParcelEntity> {
  const [{ parcel_id: parcelId }] = await dataSource.query<[{ parcel_id: string }]>(
    `INSERT INTO parcels (account_id, amount, fee, due_command, requested_by)
     VALUES ($1, $2, $3, $4, 'user:ann') RETURNING parcel_id`,
    [accountId, amount, fee, due],
  );
  return rows.findOneByOrFail({ parcelId });
}

/** One that is held, and has its payment due. */
async function heldParcel(amount: string): Promise<ParcelEntity> {
  const { parcelId } = await parcel(amount);
  await new Parcels(submit, rows).settle(parcelId);
  await rows.update({ parcelId }, { dueCommand: 'pay' });
  return rows.findOneByOrFail({ parcelId });
}

/** Available and held, of USD and of BTC. */
async function money(): Promise<string[]> {
  const balances = await core.query<{ available: string; held: string }>(
    `SELECT trim_scale(available / 1e18)::text AS available, trim_scale(held / 1e18)::text AS held
     FROM balances WHERE account_id = $1 ORDER BY asset DESC`,
    [accountId],
  );
  return balances.flatMap(({ available, held }) => [available, held]);
}

async function statesOf({ parcelId }: ParcelEntity): Promise<number> {
  return (await dataSource.query<unknown[]>('SELECT FROM parcel_states WHERE parcel_id = $1', [parcelId]))
    .length;
}

class Died extends Error {}

/** A process that dies at its nth step: before or after a request of the core, or a change of the row. */
class Mortal {
  private steps = 0;

  constructor(private readonly diesAt: number) {}

  outbox(): Parcels {
    const mortalRows = rows.extend({
      query: <T>(text: string, values: unknown[]) => this.around(() => rows.query<T>(text, values)),
      update: (...change: Parameters<typeof rows.update>) => this.around(() => rows.update(...change)),
      delete: (...which: Parameters<typeof rows.delete>) => this.around(() => rows.delete(...which)),
    });
    return new Parcels((request) => this.around(() => submit(request)), mortalRows);
  }

  private async around<T>(work: () => Promise<T>): Promise<T> {
    this.step();
    const result = await work();
    this.step();
    return result;
  }

  private step(): void {
    if (++this.steps === this.diesAt) throw new Died();
  }
}

/**
 * Lets the process that carries out a row die at its first step, at the second and so on, until it survives; after
 * each death two others sweep at once. Answers how often it died.
 */
async function killAtEachStep(
  make: () => Promise<ParcelEntity>,
  check: (row: ParcelEntity) => Promise<void>,
): Promise<number> {
  for (let diesAt = 1; ; diesAt++) {
    const row = await make();
    const outcome = await new Mortal(diesAt)
      .outbox()
      .carryOut(row)
      .catch((error: unknown) => error);
    if (!(outcome instanceof Died)) {
      expect(outcome).not.toBeInstanceOf(Error);
      await check(row);
      return diesAt - 1;
    }
    await Promise.all([new Parcels(submit, rows).sweep(0), new Parcels(submit, rows).sweep(0)]);
    await check(row);
  }
}

describe('a process that dies between any two steps', () => {
  it('holds the money once, and records it once', async () => {
    let held = 0;
    const deaths = await killAtEachStep(
      () => parcel('10'),
      async (row) => {
        held++;
        expect(await rows.findOneByOrFail({ parcelId: row.parcelId })).toMatchObject({
          dueCommand: null,
          acceptedAt: expect.any(Date) as Date,
        });
        expect(await statesOf(row)).toBe(1);
        const fees = held / 10;
        expect(await money()).toEqual([
          String(100 - 10 * held),
          String(10 * held),
          String(1 - fees),
          String(fees),
        ]);
      },
    );
    // Before and after the command and the record.
    expect(deaths).toBe(4);
  });

  it('pays it out once', async () => {
    let paid = 0;
    const deaths = await killAtEachStep(
      () => heldParcel('10'),
      async ({ parcelId }) => {
        paid++;
        expect(await rows.findOneByOrFail({ parcelId })).toMatchObject({ dueCommand: null });
        expect(await money()).toEqual([String(100 - 10 * paid), '0', String(1 - paid / 10), '0']);
      },
    );
    expect(deaths).toBe(4);
  });

  const isGone = async (row: ParcelEntity): Promise<void> => {
    expect(await rows.findOneBy({ parcelId: row.parcelId })).toBeNull();
    expect(await statesOf(row)).toBe(0);
    expect(await money()).toEqual(['100', '0', '1', '0']);
    // A caller with an older copy of the row can no longer hold its money, even if the balance now suffices.
    const verdict = await new Parcels(submit, rows).carryOut({ ...row, amount: '1', fee: '0.1' });
    expect(verdict).toMatchObject({ accepted: false });
    expect(await money()).toEqual(['100', '0', '1', '0']);
  };

  it('leaves nothing of what the core refuses', async () => {
    // Before and after the command, the one that uses up its key, and the removal.
    expect(await killAtEachStep(() => parcel('100.01', '1.1'), isGone)).toBe(6);
  });

  it('leaves nothing of what the core refuses in part', async () => {
    expect(await killAtEachStep(() => parcel('10', '1.1'), isGone)).toBe(6);
    expect(await killAtEachStep(() => parcel('100.01', '0.1'), isGone)).toBe(6);
  });
});

describe('several sweepers at once', () => {
  it('do each row once, those that are refused too, and one that fails keeps none from its turn', async () => {
    // Its payment is due, but nothing was ever held for it: the core refuses.
    const faulty = await parcel('1', '0.001', 'pay');
    const many = 120;
    for (let i = 0; i < many; i++) await parcel(i % 10 === 0 ? '101' : '0.1', '0.001');
    const sweeps = await Promise.all([1, 2, 3].map(() => new Parcels(submit, rows).sweep(0)));
    expect(Math.max(...sweeps)).toBe(many + 1);
    expect(await rows.findBy({ dueCommand: 'pay' })).toEqual([faulty]);
    expect(await rows.countBy({ dueCommand: 'hold' })).toBe(0);
    expect(await dataSource.query('SELECT FROM parcel_states')).toHaveLength(108);
    expect(await money()).toEqual(['89.2', '10.8', '0.892', '0.108']);
    expect(await new Parcels(submit, rows).sweep(0)).toBe(1);
  }, 180_000);

  it('leave alone what was committed lately', async () => {
    const { parcelId } = await parcel('10');
    await rows.update({ parcelId }, { updatedAt: new Date() });
    expect(await new Parcels(submit, rows).sweep(60_000)).toBe(0);
    expect(await money()).toEqual(['100', '0', '1', '0']);
  });
});

describe('the core', () => {
  it('is asked under the keys of the row, in the name of who asked for it', async () => {
    const row = await heldParcel('10');
    const requests: CoreRequest[] = [];
    const recording: Submit = (request) => (requests.push(request), submit(request));
    await new Parcels(recording, rows).carryOut(row);
    await new Parcels(recording, rows).carryOut(await parcel('10', '5'));
    const refused = Number(row.parcelId) + 1;
    expect(requests.map(({ actor, idempotency }) => [actor, idempotency])).toEqual(
      [
        [undefined, `${row.parcelId}:pay`, 'pay'],
        ['user:ann', `${refused}:hold`, 'hold'],
        [undefined, `${refused}:withdraw`, 'hold'],
      ].map(([actor, key, fingerprint]) => [actor, { owner: 'parcel', key, fingerprint, keptForGood: true }]),
    );
  });

  it('may refuse what follows from an acceptance: that is a fault, and the row stays due', async () => {
    const row = await parcel('10', '0.1', 'pay');
    await expect(new Parcels(submit, rows).carryOut(row)).rejects.toThrow('refused to pay parcel');
    expect(await rows.findOneByOrFail({ parcelId: row.parcelId })).toEqual(row);
  });

  it('may be unavailable: the caller is not told that nothing was done, and the sweep does it', async () => {
    const unavailable: Submit = () =>
      Promise.reject(new ServiceFailure('temporarily_unavailable', 'Not now.'));
    await expect(new Parcels(unavailable, rows).carryOutForCaller(await parcel('10'))).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: 'It may be held later.',
    });
    expect(await money()).toEqual(['100', '0', '1', '0']);
    expect(await new Parcels(submit, rows).sweep(0)).toBe(1);
    expect(await money()).toEqual(['90', '10', '0.9', '0.1']);
  });

  it.each(['before', 'after'])('may fall silent %s the commit: the sweep finds out', async (when) => {
    const silent: Submit = async (request) => {
      if (when === 'after') await submit(request);
      throw new ServiceFailure('outcome_unknown', 'Silence.');
    };
    const row = await parcel('10');
    await expect(new Parcels(silent, rows).carryOutForCaller(row)).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: 'Silence.',
    });
    expect(await rows.findOneByOrFail({ parcelId: row.parcelId })).toEqual(row);
    expect(await new Parcels(submit, rows).sweep(0)).toBe(1);
    expect(await statesOf(row)).toBe(1);
    expect(await money()).toEqual(['90', '10', '0.9', '0.1']);
  });

  it('may accept another attempt before a refused one is withdrawn: then it is accepted', async () => {
    const row = await parcel('150', '1.5');
    let requests = 0;
    const overtaken: Submit = async (request) => {
      if (++requests === 2) {
        await core.submit([deposit(accountId, 'USD', '100'), deposit(accountId, 'BTC', '1')]);
        expect(await new Parcels(submit, rows).carryOut(row)).toMatchObject({ accepted: true });
      }
      return submit(request);
    };
    expect(await new Parcels(overtaken, rows).carryOut(row)).toMatchObject({
      accepted: true,
      row: { parcelId: row.parcelId, dueCommand: null },
    });
    expect(await statesOf(row)).toBe(1);
    expect(await money()).toEqual(['50', '150', '0.5', '1.5']);
  });
});
