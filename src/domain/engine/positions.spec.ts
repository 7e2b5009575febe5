import { describe, expect, it } from 'vitest';
import { GroupScene } from '../../../test/support/domain/group-scene.js';
import { InvariantError } from '../invariant.js';
import { closeAt, openAt } from './positions.js';
import { Position } from './state.js';

describe('closing a position', () => {
  const market = new GroupScene().engine.state.markets.get('RED')!;

  it.each(['buy', 'sell'] as const)(
    'opened by a %s takes its share of the cost, and the last all of it',
    (side) => {
      const position = new Position(7, market);
      openAt(position, side, 3, 10n);
      const sign = side === 'buy' ? 1 : -1;
      closeAt(position, 1, 5n);
      expect(position).toMatchObject({ sizeLots: 2 * sign, costBasis: 7n, realizedPnl: 2n * BigInt(sign) });
      closeAt(position, 2, 5n);
      expect(position).toMatchObject({ sizeLots: 0, costBasis: 0n, realizedPnl: 0n });
    },
  );

  it.each([0, -1, 4, NaN])('by %s of 3 lots is a fault', (lots) => {
    const position = new Position(7, market);
    openAt(position, 'sell', 3, 10n);
    const close = (): void => {
      closeAt(position, lots, 5n);
    };
    expect(close).toThrow(new InvariantError(`no more of a position is closed than is open (7, ${lots}, 3)`));
    expect(position).toMatchObject({ sizeLots: -3, costBasis: 10n, realizedPnl: 0n });
  });
});
