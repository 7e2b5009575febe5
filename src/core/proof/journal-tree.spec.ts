import { afterEach, describe, expect, it, vi } from 'vitest';
import { statementHashes } from './journal-tree.js';
import { Slices } from './slices.js';
import type { RowStatements } from './statements.js';

describe('statementHashes', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('lets orders go first again and again while a commit of many statements is hashed', async () => {
    const statements = {
      owners: Array.from({ length: 100 }, (_, i) => i),
      textOf: (owner: number) => `{"account_id":${owner},"changes":[]}`,
    } as unknown as RowStatements;
    let nowMs = 0;
    // Each look at the clock is a millisecond later, so that a slice is a few statements long.
    vi.spyOn(performance, 'now').mockImplementation(() => ++nowMs);
    let turns = 0;
    const state = { isDone: false };
    const count = (): void => {
      turns++;
      if (!state.isDone) setImmediate(count);
    };
    setImmediate(count);
    const hashes = await statementHashes(statements, new Uint8Array(32), new Slices());
    state.isDone = true;
    expect(hashes).toHaveLength(100);
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});
