/** Classifies errors of requests to a node. */
import { BaseError, ExecutionRevertedError } from 'viem';
import { ChainUnavailable } from './chain-connector.js';

/** Drops the library's own message: it quotes the node's URL, which may contain a key. */
export function chainFailureOf(error: unknown): Error {
  if (!(error instanceof BaseError)) return error as Error;
  return new ChainUnavailable(`${error.name}: ${error.shortMessage.split('\n')[0]}`);
}

/** Whether the node understood the request and refused it; after any other error its effect is unknown. */
export function isRpcRefusal(error: unknown): boolean {
  return (error as { name?: unknown }).name === 'RpcRequestError';
}

/** Only a revert by the chain counts: a node has other reasons to refuse an estimate. */
export function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk((one) => one instanceof ExecutionRevertedError) !== null;
}

/**
 * Nodes word it differently when they have a transaction already; each of these messages means that it will not be
 * lost.
 */
const TAKEN_BEFORE = /already known|already imported|known transaction|already in (the )?mempool/i;

export function isTakenBefore(message: string): boolean {
  return TAKEN_BEFORE.test(message);
}
