/** What a username consists of; so it is the same in every alphabet that folds case, and needs no escape in a path. */
export const USERNAME_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Names that no user gets: routes of `/user` stand in their place, paths resolve them (`.`, `..`), or they mean
 * whoever asks.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'me',
  'login',
  'logout',
  'createwitharray',
  'createwithlist',
  '.',
  '..',
]);

/** Whether a new user may be called so, as far as the name itself says. */
export function isAllowedUsername(username: string): boolean {
  return USERNAME_PATTERN.test(username) && !RESERVED.has(canonicalUsername(username));
}

/** Two usernames are the same where this is: usernames know no case. */
export function canonicalUsername(username: string): string {
  return username.toLowerCase();
}
