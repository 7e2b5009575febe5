/** The chains that wallets have keys for. */
export const CHAINS = ['ethereum', 'bitcoin', 'solana'] as const;

export type Chain = (typeof CHAINS)[number];
