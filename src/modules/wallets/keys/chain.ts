/** The chains that wallets have keys for. */
export const CHAINS = ['ethereum', 'bitcoin', 'solana'] as const;

export type Chain = (typeof CHAINS)[number];

/** What an address is for: what arrives at one for deposits is credited; others only sign. */
export const ADDRESS_PURPOSES = ['deposit', 'signing'] as const;

export type AddressPurpose = (typeof ADDRESS_PURPOSES)[number];
