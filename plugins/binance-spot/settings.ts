import { readers, setting } from '../../src/index.js';

/** The dialect documents 6,000. */
export const WEIGHT_PER_MINUTE = setting(
  'BINANCE_SPOT_WEIGHT_PER_MINUTE',
  readers.integer(1, 1_000_000_000),
  '6000',
  'Request weight that one address may use in a minute under /binance.',
);
