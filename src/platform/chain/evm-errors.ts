/** What a failed request to a node means. */
import { BaseError, ExecutionRevertedError } from 'viem';
import { ChainUnavailable } from './chain-connector.js';

/** Without the library's own message: that quotes the node's address, which may contain a key. */
export function unavailable(error: unknown): Error {
  if (!(error instanceof BaseError)) return error as Error;
  return new ChainUnavailable(`${error.name}: ${error.shortMessage.split('\n')[0]}`);
}

/** Whether the node understood the request and said no; everything else leaves it open what it did. */
export function isRpcRefusal(error: unknown): boolean {
  return (error as { name?: unknown }).name === 'RpcRequestError';
}

/** Only what the chain itself would do counts: a node has many reasons of its own to refuse an estimate. */
export function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk((one) => one instanceof ExecutionRevertedError) !== null;
}
