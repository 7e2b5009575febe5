import { afterEach, describe, expect, it, vi } from 'vitest';
import { auditState } from '../../test/support/domain/audit.js';
import { NO_FAULTS } from './network.js';
import { IncomingTransfers, OutgoingTransfers } from './transfer-protocol.js';
import { World, type WorldOptions } from './world.js';

/** Little money, so that orders and transfers are refused for want of it too. */
const SMALL: WorldOptions = {
  seed: 1,
  cells: 4,
  commands: 50,
  restingOrders: 20,
  tradersPerCell: 3,
  depositedFirst: 500,
  transferShare: 0.3,
  bankShare: 0.1,
  batch: 6,
  network: { lossShare: 0.2, duplicateShare: 0.2, delayTicksMax: 12, cutChance: 0.1, cutTicks: 10 },
  crashChance: 0.05,
  downTicksMax: 6,
  retryAfterTicks: 8,
};

const SEEDS = 100;

describe('cells', () => {
  afterEach(() => void vi.restoreAllMocks());

  it(`keep all money through losses, repeats, cuts and crashes (${SEEDS} seeds)`, () => {
    const seen = { paid: 0, released: 0, crashes: 0, lost: 0, duplicated: 0 };
    for (let seed = 1; seed <= SEEDS; seed++) {
      const world = new World({ ...SMALL, seed });
      const { crashes } = run(world, seed);
      for (const { state } of world.cells) {
        auditState(state.engine.state);
        expect([...state.outgoing.open()]).toEqual([]);
      }
      const { held, credited, paid, released } = world.conservation.counts;
      expect({ seed, held, credited }).toEqual({ seed, held: 0, credited: 0 });
      seen.paid += paid;
      seen.released += released;
      seen.crashes += crashes;
      seen.lost += world.network.counts.lost;
      seen.duplicated += world.network.counts.duplicated;
    }
    // Otherwise little would have been shown.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(SEEDS);
  });

  it('come to the same end for the same seed', () => {
    const sequences = [1, 2].map(() => {
      const world = new World({ ...SMALL, seed: 7 });
      world.run();
      return world.cells.map(({ state }) => state.engine.state.sequence);
    });
    expect(sequences[0]).toEqual(sequences[1]);
  });

  it('send nothing where there is one', () => {
    const world = new World({ ...SMALL, cells: 1 });
    world.run();
    expect(world.conservation.counts).toEqual({ held: 0, credited: 0, paid: 0, released: 0 });
  });

  it('remember no more verdicts than are needed', () => {
    const world = new World({ ...SMALL, commands: 300, network: NO_FAULTS, crashChance: 0 });
    world.run();
    const remembered = world.cells.map(({ state }) => state.incoming.remembered);
    expect(Math.max(...remembered)).toBeLessThan(world.conservation.counts.paid / 4);
  });

  describe('are found out', () => {
    it('where a repeated credit is applied again', () => {
      vi.spyOn(IncomingTransfers.prototype, 'verdictOf').mockReturnValue(undefined);
      expect(() => new World(SMALL).run()).toThrow(/is (credited|paid), and is to be credited/);
    });

    it('where a transfer is forgotten', () => {
      vi.spyOn(OutgoingTransfers.prototype, 'open').mockImplementation(function* () {});
      expect(() => new World(SMALL).run()).toThrow('transfers do not come to an end');
    });
  });
});

function run(world: World, seed: number): ReturnType<World['run']> {
  try {
    return world.run();
  } catch (error) {
    throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
  }
}
