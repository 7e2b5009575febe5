import type { FeeMarket } from './chain-connector.js';

/** Between the estimate and the block, a contract's state may change a little. */
const GAS_MARGIN_PERCENT = 20n;
/** The base fee rises by at most an eighth a block: twice of it lasts for six full blocks. */
const BASE_FEE_STEP = 8n;
const BASE_FEE_HEADROOM = 2n;
const LEAST_PRIORITY_FEE = 1_000_000n;

/** What to offer for gas, with a base fee and a priority fee that the node suggests, and never above the ceiling. */
export function feeMarketOf(base: bigint, suggested: bigint, ceiling: bigint): FeeMarket {
  const priority = suggested > LEAST_PRIORITY_FEE ? suggested : LEAST_PRIORITY_FEE;
  const maxFeePerGas = least(BASE_FEE_HEADROOM * base + priority, ceiling);
  return {
    offer: { maxFeePerGas, maxPriorityFeePerGas: least(priority, maxFeePerGas) },
    likelyFeePerGas: least(base + base / BASE_FEE_STEP + priority, ceiling),
  };
}

export function withMargin(gas: bigint): bigint {
  return (gas * (100n + GAS_MARGIN_PERCENT)) / 100n;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
