import { Injectable } from '@nestjs/common';

/** What an account had realised, after fees, in all markets of a quote asset by a place in the ledger's sequence. */
export type RealizedBy = (accountId: number, asset: string, sequence: number) => Promise<bigint>;

/** Where loss limits learn of past profits. The module that keeps fills registers itself, since it is a floor above. */
@Injectable()
export class RealizedPnl {
  private source: RealizedBy | undefined;

  register(source: RealizedBy): void {
    this.source = source;
  }

  by(accountId: number, asset: string, sequence: number): Promise<bigint> {
    if (this.source === undefined) throw new Error('nobody has registered as the source of past profits');
    return this.source(accountId, asset, sequence);
  }
}
