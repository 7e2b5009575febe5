import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Floor, limit, openFloor, SPOT, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { Command } from '../../domain/engine/commands.js';
import type { CoreRequest } from '../requests/requests.js';

describe('a command with a number that is no whole number', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
  });
  afterAll(async () => {
    await core.stop();
    await database.drop();
  });

  const order = (more: object): Command => ({ ...limit(floor.ann, 'buy', 100, 1), ...more });
  it.each([
    ['accountId: NaN', { accountId: NaN }, 'accountId must be a whole number and is NaN'],
    ['accountId: "1"', { accountId: '1' }, 'accountId must be a whole number and is of the type string'],
    [
      'accountId: undefined',
      { accountId: undefined },
      'accountId must be a whole number and is of the type undefined',
    ],
    ['sizeLots: Infinity', { sizeLots: Infinity }, 'sizeLots must be a whole number and is Infinity'],
    ['priceTicks: 1.5', { priceTicks: 1.5 }, 'priceTicks must be a whole number and is 1.5'],
    ['a part of it', { feeRates: { maker: NaN } }, 'feeRates.maker must be a whole number and is NaN'],
  ])('is refused, and the writer goes on: %s', async (_what, more, reason) => {
    const { epoch, sequence } = core.sequencer.freshTerm();
    await expect(core.submit([order({}), order(more)])).rejects.toMatchObject({
      code: 'internal_error',
      message: `The core did not run place_order: ${reason}.`,
    });
    await expect(core.sequencer.preview(order(more) as never)).rejects.toThrow(reason);
    const term = core.sequencer.freshTerm();
    expect(term).toMatchObject({ epoch, sequence });
    expect(core.sequencer.faults.size).toBe(0);
    expect(core.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is refused as a quote, too', async () => {
    const asked = { marketId: SPOT, accountId: NaN, side: 'buy', sizeLots: 1 };
    await expect(core.sequencer.priceQuote(asked as never)).rejects.toThrow('accountId');
  });

  it('leaves all others as they are', async () => {
    const request: CoreRequest = { commands: [order({ clientOrderId: 'a' })] };
    expect((await core.sequencer.submit(request)).outcomes[0]).toMatchObject({ ok: true });
  });
});
