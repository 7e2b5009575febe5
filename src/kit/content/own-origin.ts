/**
 * The service's public address may change, so stored URLs to itself begin with this placeholder, and answers replace it
 * with the public address. No real name ends in `.invalid`.
 */
export const OWN_ORIGIN = 'https://public-url.invalid';

const WEB_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);

/**
 * Normalizes a URL for storage: absolute; a relative one is resolved against `path` of this service (such as
 * `/blog/posts/`). `undefined` for invalid URLs and schemes not in `schemes`.
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

/** Replaces the placeholder in a stored text with the public address. */
export function withPublicUrl(stored: string, publicUrl: string): string {
  return stored.replaceAll(OWN_ORIGIN, publicUrl);
}
