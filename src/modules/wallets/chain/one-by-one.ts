import type { Logger } from '@nestjs/common';
import { ChainMoved, ChainUnavailable } from '../../../platform/chain/chain-connector.js';

/**
 * Does one piece of work among others of its kind: what is wrong with it is logged, and is nothing to the
 * others. A chain that cannot be asked is something to all of them, so that is thrown on.
 */
export async function unlessChainFails(
  logger: Logger,
  which: Readonly<Record<string, string>>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isChainFailure(error)) throw error;
    logger.error({ err: error, ...which, msg: 'a piece of work on a chain failed; trying again later' });
  }
}

export function isChainFailure(error: unknown): boolean {
  return error instanceof ChainUnavailable || error instanceof ChainMoved;
}
