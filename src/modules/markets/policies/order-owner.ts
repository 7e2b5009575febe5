/** Whose account an order is for, as far as rules of the house may go by it. */
export interface OrderOwner {
  /** The owner of the account, such as `user:7` or `client:demo`; whoever acts for it. */
  readonly user: string;
  /** The account's public id, such as `acc_00000000007`. */
  readonly account: string;
  /** The KYC level, 0 to 9, as of the last commit. */
  readonly level: number;
  /** ISO 3166-1 alpha-2, of the address in the approved KYC case; null where none is approved. */
  readonly country: string | null;
  /** Those that the user is in; empty for clients. */
  readonly groups: readonly string[];
}

/** What a rule of the house may know besides the order and its market. */
export interface OrderContext {
  readonly owner: OrderOwner;
}
