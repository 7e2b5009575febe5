import { Injectable } from '@nestjs/common';
import { amount } from '../../../domain/money/amount.js';
import { ChainUnavailable, type ChainConnector, type ChainPayment } from '../chains/chain-connector.js';
import { ChainConnectors } from '../chains/chain-connectors.js';
import { CHAIN_UNAVAILABLE } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { ChainFees, type ChainFee } from '../transfers/chain-fees.js';
import { HotWallets, type KnownChain } from './hot-wallets.js';

/** The held fee covers a price increase by this factor; the rest is released. */
const HEADROOM = 2n;

/** Fees from the market of the connected chains. */
@Injectable()
export class ChainFeeEstimates extends ChainFees {
  constructor(
    private readonly connectors: ChainConnectors,
    private readonly hotWallets: HotWallets,
  ) {
    super();
  }

  /**
   * While the node does not answer, its last answer counts: the transfer waits until the node answers again, and is
   * sent once the price is at most the held fee.
   */
  override async estimate(payment: {
    readonly chain: string;
    readonly asset: string;
    readonly amount: ChainPayment['amount'];
    readonly to: string;
  }): Promise<ChainFee> {
    const connector = this.connectors.connectorOf(payment.chain);
    const known = await this.hotWallets.find(payment.chain);
    if (connector === undefined || known === undefined) throw chainUnavailable(payment.chain);
    const { gasLimit, maxFeePerGas } = await gasOf(connector, known, { ...payment, from: known.hotAddress });
    if (maxFeePerGas === 0n) throw chainUnavailable(payment.chain);
    return { asset: connector.assets[0]!.code, amount: amount(HEADROOM * gasLimit * maxFeePerGas) };
  }
}

async function gasOf(
  connector: ChainConnector,
  known: KnownChain,
  payment: ChainPayment,
): Promise<{ gasLimit: bigint; maxFeePerGas: bigint }> {
  const usual = connector.usualGasLimit(payment.asset);
  try {
    // Null where the hot wallet has too little as yet, so that the payment cannot be tried.
    const gasLimit = (await connector.gasLimit(payment)) ?? usual;
    const { offer } = await connector.feeMarket();
    return { gasLimit, maxFeePerGas: offer.maxFeePerGas };
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return { gasLimit: usual, maxFeePerGas: known.maxFeePerGas };
  }
}

export function chainUnavailable(chain: string): ApiError {
  return new ApiError(
    CHAIN_UNAVAILABLE,
    `The service is not connected to ${chain}: money can move inside, but not there.`,
    { headers: { 'Retry-After': '60' } },
  );
}
