import type { ChainConnector, ChainPayment } from '../chains/chain-connector.js';
import type { Send } from './send-rows.js';

/** The spendable balance of the hot wallet in one poll: its balance by blocks, less what is in flight. */
export class HotBalances {
  private constructor(
    private readonly nativeAsset: string,
    private readonly left: Map<string, bigint>,
  ) {}

  static async read(
    connector: ChainConnector,
    hotAddress: string,
    live: readonly Send[],
  ): Promise<HotBalances> {
    const native = connector.assets[0]!.code;
    const left = new Map<string, bigint>();
    for (const { code } of connector.assets) left.set(code, await connector.balance(hotAddress, code));
    const balances = new HotBalances(native, left);
    for (const send of live) {
      if (send.status !== 'broadcasting' || send.sender.addressId !== null) continue;
      balances.spend(native, mostOf(send.candidates.map((one) => one.gasLimit * one.maxFeePerGas)));
      balances.spend(send.asset, mostOf(send.candidates.map((one) => one.amount)));
    }
    return balances;
  }

  covers(asset: string, units: bigint): boolean {
    return (this.left.get(asset) ?? 0n) >= units;
  }

  /** Reserves the payment and its gas; returns false, and reserves nothing, if the balance is too low. */
  take(payment: ChainPayment, gas: bigint): boolean {
    const needsNative = gas + (payment.asset === this.nativeAsset ? payment.amount : 0n);
    if (!this.covers(this.nativeAsset, needsNative) || !this.covers(payment.asset, payment.amount))
      return false;
    this.spend(this.nativeAsset, gas);
    this.spend(payment.asset, payment.amount);
    return true;
  }

  private spend(asset: string, units: bigint): void {
    this.left.set(asset, (this.left.get(asset) ?? 0n) - units);
  }
}

function mostOf(figures: readonly bigint[]): bigint {
  return figures.reduce((most, one) => (one > most ? one : most), 0n);
}
