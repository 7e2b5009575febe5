/** The traders and their terms: the same for all sections of one table. */
export interface Workload {
  readonly accountsPerSide: number;
  /** Of every market of the bench. */
  readonly fees: { readonly maker_fee_rate: string; readonly taker_fee_rate: string };
  /** Every so-many-th order carries a `client_order_id`; null for none. */
  readonly keyEvery: number | null;
  /** Whether every account has an API key, with which its orders come; else its owner's token is all there is. */
  readonly apiKeys: boolean;
}

/** What the promises are about. */
export const REAL: Workload = {
  accountsPerSide: 5_000,
  fees: { maker_fee_rate: '0.0005', taker_fee_rate: '0.001' },
  keyEvery: 4,
  apiKeys: true,
};

/** The workload before fees, keys and many accounts existed, for comparison with old figures. */
export const PLAIN: Workload = {
  accountsPerSide: 16,
  fees: { maker_fee_rate: '0', taker_fee_rate: '0' },
  keyEvery: null,
  apiKeys: false,
};
