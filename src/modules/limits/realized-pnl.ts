/** Where loss limits learn of past profits; the group that keeps fills has them. */
export abstract class RealizedPnl {
  /** What an account had realised, after fees, in all markets of a quote asset by a place in the ledger's sequence. */
  abstract by(accountId: number, asset: string, sequence: number): Promise<bigint>;
}
