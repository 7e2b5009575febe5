import { describe, expect, it } from 'vitest';
import type { CoreService } from '../../../core/core.service.js';
import { ZERO } from '../../../domain/money/amount.js';
import type { ChainConnector } from '../chains/chain-connector.js';
import { depositRulesOf, problemsOf } from './deposit-rules.js';

const SCALES: Readonly<Record<string, number>> = { ETH: 18, USDC: 2, EURC: 8 };
const core = {
  asset: (code: string) => (code in SCALES ? { scale: SCALES[code] } : undefined),
} as unknown as CoreService;

function rulesOf(assets: Readonly<Record<string, number>>) {
  const carried = Object.entries(assets).map(([code, decimals]) => ({
    code,
    decimals,
    depositMinimum: ZERO,
  }));
  return depositRulesOf({ assets: carried } as unknown as ChainConnector, core);
}

describe('problems of a chain', () => {
  it('are none where the ledger counts each asset as finely as the chain', () => {
    expect(problemsOf('ethereum', rulesOf({ ETH: 18, EURC: 6 }))).toEqual([]);
  });

  it('are assets that the ledger lacks or counts more coarsely than the chain', () => {
    expect(problemsOf('ethereum', rulesOf({ ETH: 18, USDC: 6, DAI: 18 }))).toEqual([
      expect.stringContaining('USDC has 6 decimals on ethereum and 2 here'),
      expect.stringContaining('There is no asset DAI'),
    ]);
  });
});
