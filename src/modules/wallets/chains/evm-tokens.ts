import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  erc20Abi,
  parseAbiItem,
  type Address,
  type PublicClient,
} from 'viem';

export const TRANSFER_EVENT = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
);

/** What the contract of a token says itself, which ERC-20 leaves open; null where it says nothing. */
export async function decimalsOfToken(client: PublicClient, address: Address): Promise<number | null> {
  try {
    return await client.readContract({ address, abi: erc20Abi, functionName: 'decimals' });
  } catch (error) {
    if (error instanceof BaseError && error.walk(isSilence) !== null) return null;
    throw error;
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof ContractFunctionRevertedError || error instanceof ContractFunctionZeroDataError;
}
