/** The context of one command, for calling a part of the engine by itself. */
import { BOUNDS } from '../../../src/domain/engine/bounds.js';
import type { Changes } from '../../../src/domain/engine/changes.js';
import type { Context } from '../../../src/domain/engine/context.js';
import type { EngineState } from '../../../src/domain/engine/state.js';

export function contextOf(state: EngineState, changes: Changes, timeMs: number): Context {
  return {
    state,
    changes,
    bounds: BOUNDS,
    timeMs,
    sequence: ++state.sequence,
    unsettled: {
      orders: new Set(),
      positions: new Set(),
      filled: new Set(),
      listed: new Set(),
      entries: new Set(),
      tripped: new Set(),
    },
  };
}
