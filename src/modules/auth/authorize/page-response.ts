import type { Response } from 'express';

/** What the script of a page needs, where there is one. */
const WITH_SCRIPT = " script-src 'self'; connect-src 'self';";

/** What a page may do beside loading its stylesheet. */
interface PageNeeds {
  /** Where its form may lead in the end. */
  readonly redirectUri?: string;
  readonly hasForm?: boolean;
  readonly hasScript?: boolean;
}

/**
 * Sends a page that loads only its stylesheet and the operator's logo, runs no script but ours where it has one, and cannot be framed. Chromium
 * also applies `form-action` to a form's redirects, so the answer's address is allowed if there is one.
 */
export function sendPage(
  response: Response,
  status: number,
  page: string,
  { redirectUri, hasForm = false, hasScript = false }: PageNeeds = {},
): void {
  const own = hasForm || redirectUri !== undefined ? ["'self'"] : ["'none'"];
  const targets = [...own, ...(redirectUri === undefined ? [] : [sourceOf(redirectUri)])].join(' ');
  const scripts = hasScript ? WITH_SCRIPT : '';
  response.status(status).set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src 'self';${scripts} form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    'Cache-Control': 'no-store',
  });
  response.send(page);
}

/** As `sendPage`, for a page whose form leads nowhere else. */
export function sendFormPage(response: Response, status: number, page: string): void {
  sendPage(response, status, page, { hasForm: true });
}

/** Redirects the browser with GET: a 307 would send the password to the next address. */
export function redirectTo(response: Response, location: string): void {
  response.status(303).set({ Location: location, 'Cache-Control': 'no-store' }).end();
}

/** The address as a CSP source: an origin, or only the scheme for apps and IPv6 addresses. */
function sourceOf(redirectUri: string): string {
  const { origin, protocol, hostname } = new URL(redirectUri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}
