/** A native app's loopback address; the port is assigned at run time (RFC 8252, 7.3; RFC 9700, 4.1.3). */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;

export interface RedirectUriRules {
  /**
   * Whether any port of a loopback address is allowed: only for codes of native apps. Another program may listen on
   * another port, and could use a token, unlike a code.
   */
  readonly anyLoopbackPort: boolean;
}

/**
 * Whether `asked` is one of the registered addresses, character by character, but for the port where that is
 * free. Nothing is normalised, so no two ways of reading an address can disagree.
 */
export function isRegisteredRedirectUri(
  asked: string,
  registered: readonly string[],
  { anyLoopbackPort }: RedirectUriRules,
): boolean {
  if (registered.includes(asked)) return true;
  if (!anyLoopbackPort) return false;
  const withoutPort = withoutLoopbackPort(asked);
  if (withoutPort === undefined || !URL.canParse(asked)) return false;
  return registered.some((each) => withoutLoopbackPort(each) === withoutPort);
}

/** `undefined` for what is no loopback address. */
function withoutLoopbackPort(address: string): string | undefined {
  const [, origin, rest] = LOOPBACK.exec(address) ?? [];
  return origin === undefined || rest === undefined ? undefined : origin + rest;
}
