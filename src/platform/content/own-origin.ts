/**
 * Where this service is reached may change, so stored addresses of its own begin with this instead, and the
 * public address is put in when they are answered. No real name ends in `.invalid`.
 */
export const OWN_ORIGIN = 'https://public-url.invalid';

const WEB_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);

/**
 * An address as it is stored: absolute, relative ones being read at `path` of this service (such as
 * `/blog/posts/`). `undefined` where it is none, or has another scheme than those of `schemes`.
 */
export function storedUrl(
  url: string,
  publicUrl: string,
  path: string,
  schemes: ReadonlySet<string> = WEB_PROTOCOLS,
): string | undefined {
  const parsed = URL.parse(url, OWN_ORIGIN + path);
  if (parsed === null || !schemes.has(parsed.protocol)) return undefined;
  const { href } = parsed;
  return href === publicUrl || href.startsWith(`${publicUrl}/`)
    ? OWN_ORIGIN + href.slice(publicUrl.length)
    : href;
}

/** What was stored, with the public address in it. */
export function withPublicUrl(stored: string, publicUrl: string): string {
  return stored.replaceAll(OWN_ORIGIN, publicUrl);
}
