import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { isLoopback } from '../../../../platform/config/address.js';
import { CONFIG, type Config } from '../../../../platform/config/config.js';
import type { UserEntity } from '../../../users/user.entity.js';
import { digestOf, newSecret } from '../../secrets.js';
import { LoginSessionsService, type LoggedInUser } from '../../tokens/login-sessions.service.js';

/** A browser at the authorization endpoint, logged in or not. */
export interface BrowserSession {
  readonly secret: string;
  /** What its forms send along, which no other site can know. */
  readonly csrfToken: string;
  readonly user: LoggedInUser | null;
}

const COOKIE = 'tradepost_login';
const SECRET = /^tpl_[\w-]{43}$/;

/**
 * Knows browsers by a cookie that no script reads, no other site's form brings along, and no other host can
 * plant: that is what the prefix `__Host-` makes browsers see to. The API takes no cookies, so there it proves
 * nothing. It is given out before the log-in too, for the login form needs a CSRF token as much as any, and is
 * another one afterwards.
 */
@Injectable()
export class BrowserSessions implements OnApplicationBootstrap {
  private readonly logger = new Logger(BrowserSessions.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logins: LoginSessionsService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.isSecure) return;
    this.logger.warn(
      'PUBLIC_URL is plain http on a host that is not this machine: passwords are sent in the clear, and the cookie of the log-in pages has no prefix __Host-. Use https.',
    );
  }

  /** The session that a browser shows, or a new one, which the response then hands to it. */
  async open(request: Request, response: Response): Promise<BrowserSession> {
    const shown = this.readCookie(request);
    if (shown !== undefined) return sessionOf(shown, await this.logins.find(shown));
    const secret = newSecret('tpl');
    this.setCookie(response, secret);
    return sessionOf(secret, null);
  }

  /**
   * Logs a browser in, under a new secret: one that somebody planted before must not become the log-in.
   * Rejects as `LoginSessionsService.start` does.
   */
  async logIn(session: BrowserSession, user: UserEntity, response: Response): Promise<void> {
    await this.logins.end(session.secret);
    this.setCookie(response, await this.logins.start(user));
  }

  /** Whether the browser's log-in is there still. */
  async isLoggedIn({ secret }: BrowserSession): Promise<boolean> {
    return (await this.logins.find(secret)) !== null;
  }

  private readCookie(request: Request): string | undefined {
    for (const pair of request.headers.cookie?.split(';') ?? []) {
      const [name, value = ''] = pair.trim().split('=', 2);
      if (name === this.cookieName && SECRET.test(value)) return value;
    }
    return undefined;
  }

  private setCookie(response: Response, secret: string): void {
    const options: CookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure };
    response.cookie(this.cookieName, secret, options);
  }

  private get cookieName(): string {
    return this.isSecure ? `__Host-${COOKIE}` : COOKIE;
  }

  /** Whether browsers keep a secure cookie of this address: over TLS, or on their own machine. */
  private get isSecure(): boolean {
    const { protocol, hostname } = new URL(this.config.publicUrl);
    return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
  }
}

/**
 * Whether a form was sent from one of our own pages: it knows the session's token, and the browser, where it
 * says from where it comes (Fetch Metadata), says so too.
 */
export function isOwnForm(session: BrowserSession, csrfToken: unknown, request: Request): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  // Digests are of one length, whatever was sent, and tell who measures time nothing.
  return typeof csrfToken === 'string' && digestOf(csrfToken) === digestOf(session.csrfToken);
}

/** The token follows from the secret, by a way that does not lead back. */
function sessionOf(secret: string, user: LoggedInUser | null): BrowserSession {
  return { secret, csrfToken: digestOf(`csrf ${secret}`), user };
}
