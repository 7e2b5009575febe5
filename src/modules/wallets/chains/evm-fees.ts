import type { FeeMarket } from './chain-connector.js';

/** A contract's state may change a little between the estimate and the block. */
const GAS_MARGIN_PERCENT = 20n;
/** The base fee rises by at most an eighth per block: twice the fee lasts for six full blocks. */
const BASE_FEE_STEP = 8n;
const BASE_FEE_HEADROOM = 2n;
const LEAST_PRIORITY_FEE = 1_000_000n;

/** The fee offer from a base fee and the node's suggested priority fee, capped at the ceiling. */
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
