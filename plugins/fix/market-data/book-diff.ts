import type { LevelDto } from '../../../src/index.js';

/** Values of MDUpdateAction (279). */
export const UPDATE_ACTION = { new: '0', change: '1', delete: '2' } as const;

export interface LevelChange {
  readonly action: string;
  readonly price: string;
  /** What is there now; of a level that is gone, nothing. */
  readonly size: string | undefined;
}

/** What turns one side of a book into another, each of them as far as a client sees it: first what is gone. */
export function levelChanges(before: readonly LevelDto[], after: readonly LevelDto[]): LevelChange[] {
  const sizes = new Map(before.map(([price, size]) => [price, size]));
  const here = new Set(after.map(([price]) => price));
  const gone = before.filter(([price]) => !here.has(price));
  return [
    ...gone.map(([price]) => ({ action: UPDATE_ACTION.delete, price, size: undefined })),
    ...after
      .filter(([price, size]) => sizes.get(price) !== size)
      .map(([price, size]) => ({
        action: sizes.has(price) ? UPDATE_ACTION.change : UPDATE_ACTION.new,
        price,
        size,
      })),
  ];
}
