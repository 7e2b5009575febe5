/** What a credential may be allowed to do, with the words that consent pages and OpenAPI show. */
export const SCOPES = {
  'markets:trade': 'trade on markets',
  'account:read': 'read orders, fills, balances and positions',
  'wallets:read': 'read wallets and their transfers',
  'wallets:write': 'create wallets, addresses and transfers',
  'wallets:sign': 'sign with wallet keys',
  'banking:read': 'read KYC records, payout accounts and payouts',
  'banking:write': 'submit KYC, create payout accounts and payouts',
  'news:webhooks': 'manage news webhooks',
  'chat:read': 'read chat rooms',
  'chat:write': 'write in chat rooms',
  'read:pets': 'read pets',
  'write:pets': 'modify pets',
  'store:write': 'place, read and delete orders of pets',
  admin: 'operate the service',
} as const;

export type Scope = keyof typeof SCOPES;

/** All scopes that an implicit-flow token may carry: it passes through the address bar of a browser. */
export const IMPLICIT_SCOPES: readonly Scope[] = ['read:pets', 'write:pets'];

/** Those of the service that API keys, and clients that users make for themselves, may have. */
export const GRANTABLE_SCOPES = (Object.keys(SCOPES) as Scope[]).filter((scope) => scope !== 'admin');

/** Who has one of these can move money, so whoever hands one out must be there in person. */
export const MONEY_SCOPES: ReadonlySet<Scope> = new Set([
  'markets:trade',
  'wallets:write',
  'wallets:sign',
  'banking:write',
]);

/** One of several scopes suffices, or all of them are needed. */
export type ScopeRequirement = { readonly anyOf: readonly Scope[] } | { readonly allOf: readonly Scope[] };

export function grants(scopes: ReadonlySet<string>, requirement: ScopeRequirement): boolean {
  return 'anyOf' in requirement
    ? requirement.anyOf.some((scope) => scopes.has(scope))
    : requirement.allOf.every((scope) => scopes.has(scope));
}

/** The scopes named to a caller who lacks them. */
export function scopesOf(requirement: ScopeRequirement): readonly Scope[] {
  return 'anyOf' in requirement ? requirement.anyOf : requirement.allOf;
}
