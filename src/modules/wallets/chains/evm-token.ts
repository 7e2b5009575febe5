import { getAddress, isAddress } from 'viem';
import type { Reader } from '../../../kit/config/readers.js';

/** An ERC-20 token and the asset of the ledger that it is. */
export interface EvmToken {
  readonly code: string;
  /** With its checksum (EIP-55). */
  readonly contract: string;
  readonly decimals: number;
}

/** Amounts have eighteen decimals in the ledger, so a token may not have more; ETH is not a token. */
const TOKEN_PATTERN = /^(?!ETH:)([A-Z0-9]{1,16}):(0x[0-9A-Fa-f]{40}):(\d|1[0-8])$/;

/** `USDC:0xA0b8…eB48:6`: the asset's code, the contract, and how many decimals the contract counts. */
export const evmToken: Reader<EvmToken> = {
  expects: 'CODE:contract:decimals, such as USDC:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48:6',
  parse: (text) => {
    const [, code = '', contract = '', decimals = ''] = TOKEN_PATTERN.exec(text) ?? [];
    // A mixed-case contract address must have a valid checksum, as all addresses.
    if (code === '' || !isAddress(contract)) return undefined;
    return { code, contract: getAddress(contract), decimals: Number(decimals) };
  },
};
