/** What an app on a user's own machine listens at; it takes the port that it gets (RFC 8252, 7.3; RFC 9700, 4.1.3). */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;

/**
 * Whether `asked` is one of the registered addresses, character by character. Only the port of a loopback
 * address is free. Nothing is normalised, so no two ways of reading an address can disagree.
 */
export function isRegisteredRedirectUri(asked: string, registered: readonly string[]): boolean {
  if (registered.includes(asked)) return true;
  const withoutPort = withoutLoopbackPort(asked);
  if (withoutPort === undefined || !URL.canParse(asked)) return false;
  return registered.some((each) => withoutLoopbackPort(each) === withoutPort);
}

/** `undefined` for what is no loopback address. */
function withoutLoopbackPort(address: string): string | undefined {
  const [, origin, rest] = LOOPBACK.exec(address) ?? [];
  return origin === undefined || rest === undefined ? undefined : origin + rest;
}
