import type { Response } from 'express';

/**
 * Sends a page that may load nothing but its stylesheet, run nothing, and be framed by nobody. Chromium also
 * holds a form's redirects to `form-action`, so the place where the answer will go is allowed where there is one.
 */
export function sendPage(response: Response, status: number, page: string, redirectUri?: string): void {
  const targets = redirectUri === undefined ? "'none'" : `'self' ${sourceOf(redirectUri)}`;
  response.status(status).set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'self'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    'Cache-Control': 'no-store',
  });
  response.send(page);
}

/** Sends the browser on by GET, whatever it came with: a 307 would hand the password to the next address. */
export function redirectTo(response: Response, location: string): void {
  response.status(303).set({ Location: location, 'Cache-Control': 'no-store' }).end();
}

/** The address as CSP can say it: an origin, or the scheme alone of an app and of what has an IPv6 address. */
function sourceOf(redirectUri: string): string {
  const { origin, protocol, hostname } = new URL(redirectUri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}
