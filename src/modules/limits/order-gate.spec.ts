import { describe, expect, it, vi } from 'vitest';
import { event } from '../../../test/support/domain/markets.js';
import type { CoreService } from '../../core/core.service.js';
import type { PlaceOrder, Refusal } from '../../domain/engine/commands.js';
import type { MarketDefinition } from '../../domain/engine/types.js';
import type { Principal } from '../../kit/security/principal.js';
import type { Allowances } from './allowances.js';
import { OrderGate } from './order-gate.js';
import type { Standing, Standings } from './standings.js';

const ACCOUNT = 7;
const command = { type: 'place_order', accountId: ACCOUNT } as PlaceOrder;
const order = { command, market: event() as unknown as MarketDefinition };
const principal = { accountId: ACCOUNT, accountOwner: 'user:1' } as Principal;
const standing = (asOf: number): Standing => ({
  accountId: ACCOUNT,
  asOf,
  nowMs: 0,
  excludedUntil: null,
  limits: [],
  tradingAccountIds: [ACCOUNT],
});
const refused = (code: Refusal['code']) => ({
  outcomes: [{ ok: false, refusal: { code, message: '' } }],
  replayed: [false],
});
const ACCEPTED = { outcomes: [{ ok: true, result: { type: 'done' } }], replayed: [false] };

function gateOf({ limitsSequence }: { limitsSequence: number | null }) {
  let sequence = limitsSequence;
  const core = {
    account: vi.fn(() => Promise.resolve({ limitsSequence: sequence })),
    submit: vi.fn().mockResolvedValue(ACCEPTED),
  };
  const standings = {
    isLimited: vi.fn(() => Promise.resolve(limitsSequence !== null)),
    isRootLimited: vi.fn(() => Promise.resolve(false)),
    limited: vi.fn(() => Promise.resolve(standing(sequence ?? 1))),
  };
  const allowances = {
    forOrders: vi.fn(({ asOf }: Standing) =>
      Promise.resolve({ allowance: { asOf, max: '1' }, words: `as of ${asOf}` }),
    ),
  };
  const gate = new OrderGate(
    core as unknown as CoreService,
    standings as unknown as Standings,
    allowances as unknown as Allowances,
  );
  const moveTo = (next: number): void => {
    sequence = next;
  };
  return { gate, core, standings, allowances, moveTo };
}

describe('the gate of orders', () => {
  it('asks nothing of accounts without limits, and leaves their commands as they are', async () => {
    const { gate, core, standings, allowances } = gateOf({ limitsSequence: null });
    await gate.submit(principal, [order], {});
    expect(core.submit).toHaveBeenCalledExactlyOnceWith({ commands: [command] });
    expect(core.submit.mock.calls[0]![0].commands[0]).toBe(command);
    expect(core.account).not.toHaveBeenCalled();
    expect(standings.isLimited).not.toHaveBeenCalled();
    expect(standings.limited).not.toHaveBeenCalled();
    expect(allowances.forOrders).not.toHaveBeenCalled();
  });

  it('looks first at what the engine cannot know: another account than the first, and keys that see one alone', async () => {
    for (const caller of [
      { ...principal, accountId: 8 },
      { ...principal, isBoundToAccount: true as const },
    ]) {
      const { gate, core, standings } = gateOf({ limitsSequence: 5 });
      await gate.submit(caller, [order], {});
      expect(standings.isLimited).toHaveBeenCalled();
      expect(core.submit.mock.calls[0]![0].commands[0]).toMatchObject({ allowance: { asOf: 5 } });
    }
  });

  it('finds out that an account has got limits on the way', async () => {
    const { gate, core, standings } = gateOf({ limitsSequence: null });
    core.submit.mockResolvedValueOnce(refused('self_limits_changed'));
    const { outcomes } = await gate.submit(principal, [order], {});
    expect(outcomes[0]!.ok).toBe(true);
    expect(core.submit.mock.calls[1]![0].commands[0]).toMatchObject({ allowance: { asOf: 1 } });
    // It is remembered: the next order comes with its allowance at once.
    standings.isLimited.mockResolvedValue(true);
    await gate.submit(principal, [order], {});
    expect(core.submit.mock.calls[2]![0].commands[0]).toMatchObject({ allowance: { asOf: 1 } });
  });

  it('tries again where somebody else was faster, and says which limit refuses', async () => {
    const { gate, core, moveTo } = gateOf({ limitsSequence: 5 });
    core.submit
      .mockResolvedValueOnce(refused('self_limits_changed'))
      .mockImplementationOnce(() => {
        moveTo(6);
        return Promise.resolve(refused('self_limit_exceeded'));
      })
      .mockResolvedValueOnce(refused('self_limit_exceeded'));
    const { outcomes } = await gate.submit(principal, [order], {});
    expect(core.submit).toHaveBeenCalledTimes(3);
    expect(outcomes[0]).toMatchObject({ refusal: { code: 'self_limit_exceeded', message: 'as of 6' } });
  });

  it('gives up after some tries', async () => {
    const { gate, core } = gateOf({ limitsSequence: 5 });
    core.submit.mockResolvedValue(refused('self_limits_changed'));
    const { outcomes } = await gate.submit(principal, [order], {});
    expect(outcomes[0]).toMatchObject({ refusal: { code: 'self_limits_changed' } });
    expect(core.submit.mock.calls.length).toBeLessThan(100);
  });
});
