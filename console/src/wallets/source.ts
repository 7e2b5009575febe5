/** Where a transfer leaves from. */
export interface Source {
  readonly kind: 'wallet' | 'account';
  /** Of the wallet, or of the account, which is `me` for one's own. */
  readonly id: string;
  readonly balances: readonly { readonly asset: string; readonly available: string | null }[];
  /** Reads the balances again. */
  readonly reload: () => void;
}

/** The address of its transfers in the console. */
export function pathOf({ kind, id }: Pick<Source, 'kind' | 'id'>): string {
  return kind === 'wallet' ? `wallets/${id}/transfers` : 'wallets/account';
}
