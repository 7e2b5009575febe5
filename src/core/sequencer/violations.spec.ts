import { describe, expect, it } from 'vitest';
import { deposit, eventually, type Floor, limit, SPOT, type TestCore } from '../../../test/support/core.js';
import { onFreshFloor } from '../../../test/support/fresh-floor.js';
import { Engine } from '../../domain/engine/engine.js';
import type { EngineState } from '../../domain/engine/state.js';
import { InvariantError } from '../../domain/invariant.js';

/** What an invariant is violated by is never acknowledged, and never half done. */
describe('a violated invariant', () => {
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ core, floor } = fresh),
    () => core.stop(),
  );

  const dollarsOf = async (accountId: number): Promise<string | undefined> => {
    const [row] = await core.query<{ total: string }>(
      `SELECT (available + held)::text AS total FROM balances WHERE account_id = $1 AND asset = 'USD'`,
      [accountId],
    );
    return row?.total;
  };
  const rowsOfJournal = async (): Promise<number> => (await core.query('SELECT 1 FROM journal')).length;
  const violations = (): Error[] =>
    core.log
      .map(({ details }) => (details as { err?: Error }).err)
      .flatMap((err) => [err, err?.cause as Error | undefined])
      .filter((err) => err instanceof InvariantError);
  /** Gives an account money that nobody has paid, in the working state alone. */
  const forge = (state: EngineState, accountId: number): void => {
    state.accounts.get(accountId)!.balanceOf('USD').available += 1n;
  };

  it('in memory costs the term, and what was asked runs on the state that is loaded again', async () => {
    const before = BigInt((await dollarsOf(floor.ann))!);
    const { currentTerm } = core.sequencer;
    forge((currentTerm as unknown as { engine: Engine }).engine.state, floor.ann);
    await Promise.all([core.run(deposit(floor.ann, 'USD', '1')), core.run(deposit(floor.bob, 'USD', '1'))]);
    expect(core.sequencer.currentTerm!.epoch).toBeGreaterThan(currentTerm!.epoch);
    expect(violations().map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^move_money at sequence \d+: the transfers of a command add up to zero \(USD, 1\)$/,
      ),
    ]);
    expect(BigInt((await dollarsOf(floor.ann))!)).toBe(before + 10n ** 18n);
    expect([...core.sequencer.faults]).toEqual([]);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('by one command is no answer to it, trades nothing, and is told to operators by name and number', async () => {
    await core.place(limit(floor.bob, 'sell', 100, 5));
    const [before, rows] = [await dollarsOf(floor.ann), await rowsOfJournal()];
    const apply = Engine.prototype.apply;
    Engine.prototype.apply = function (this: Engine, command) {
      if (command.type === 'place_order' && command.clientOrderId === 'secret') forge(this.state, floor.ann);
      return apply.call(this, command);
    };
    try {
      await expect(
        core.place(limit(floor.ann, 'buy', 100, 2, { clientOrderId: 'secret' })),
      ).rejects.toMatchObject({
        code: 'internal_error',
        message: 'The request could not be carried out. It changed nothing.',
      });
    } finally {
      Engine.prototype.apply = apply;
    }
    await eventually(
      () => core.sequencer.currentTerm?.view.market(SPOT)!.status === 'halted',
      'the market halts',
    );
    expect(core.sequencer.freshTerm().view.book(SPOT, 1)!.asks).toEqual([[100, 5, 1]]);
    const [[marketId, reason]] = [...core.sequencer.faults] as [[string, string]];
    expect([marketId, reason]).toEqual([
      SPOT,
      expect.stringMatching(/place_order at sequence \d+: the transfers of a command add up to zero/),
    ]);
    expect(JSON.stringify([reason, violations().map(({ message }) => message)])).not.toContain('secret');
    expect(await core.query('SELECT 1 FROM trades')).toEqual([]);
    expect(await dollarsOf(floor.ann)).toBe(before);
    // The halt alone.
    expect(await rowsOfJournal()).toBe(rows + 1);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('by the database, which drops a row that it was sent, takes back the whole commit', async () => {
    const level = { type: 'set_kyc_level', accountId: floor.ann, level: 2 } as const;
    await core.query(`
      CREATE FUNCTION drop_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER drop_row BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION drop_row();`);
    const rows = await rowsOfJournal();
    await expect(core.run(level)).rejects.toMatchObject({ code: 'internal_error' });
    expect(violations().map(({ message }) => message)).toEqual(['each row that is sent is written (0, 1)']);
    expect(await rowsOfJournal()).toBe(rows);
    await core.query('DROP TRIGGER drop_row ON accounts; DROP FUNCTION drop_row()');
    await core.run(level);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });
});
