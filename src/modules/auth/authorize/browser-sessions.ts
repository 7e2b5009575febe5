import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { isLoopback } from '../../../kit/config/address.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import type { UserEntity } from '../../users/user.entity.js';
import { digestOf, newSecret } from '../secrets/secrets.js';
import {
  type BrowserProof,
  LoginSessionsService,
  type LoggedInUser,
  type LogInPurpose,
} from '../tokens/login-sessions.service.js';
import { sessionOriginOf } from '../../../kit/http/session-origin.js';

/** A browser at the authorization endpoint, logged in or not. */
export interface BrowserSession {
  readonly secret: string;
  /** Sent with its forms; no other site knows it. */
  readonly csrfToken: string;
  readonly user: LoggedInUser | null;
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

const COOKIE = 'tradepost_login';
const SECRET = /^tpl_[\w-]{43}$/;

/**
 * Identifies browsers by a cookie that scripts cannot read, other sites' forms do not send, and other hosts cannot set
 * (by the prefix `__Host-`). The API accepts no cookies. The cookie is set before the log-in too, since the login form
 * also needs a CSRF token, and is replaced by the log-in.
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

  /** The browser's session, or a new one whose cookie the response sets. */
  async open(request: Request, response: Response): Promise<BrowserSession> {
    const shown = this.readCookie(request);
    if (shown !== undefined) return sessionOf(shown, await this.logins.find(shown));
    const secret = newSecret('tpl');
    this.setCookie(response, secret);
    return sessionOf(secret, null);
  }

  /**
   * Logs a browser in, under a new secret: a secret that an attacker planted must not become the log-in. Rejects as
   * `LoginSessionsService.start` does.
   */
  async logIn(
    session: BrowserSession,
    user: UserEntity,
    purpose: LogInPurpose,
    proof: Omit<BrowserProof, 'formerSecret'>,
    { request, response }: Exchange,
  ): Promise<void> {
    await this.logins.end(session.secret);
    const proved = { ...proof, formerSecret: session.secret };
    this.setCookie(response, await this.logins.start(user, purpose, sessionOriginOf(request), proved));
  }

  /** Keeps, under a new secret, that the password or the identity was right. Rejects as `LoginSessionsService.startPending` does. */
  async awaitCode(session: BrowserSession, user: UserEntity, response: Response): Promise<void> {
    await this.logins.end(session.secret);
    this.setCookie(response, await this.logins.startPending(user, session.secret));
  }

  /** The user whose password or identity has come, and whose second factor has not. */
  userAwaited({ secret }: BrowserSession): Promise<UserEntity | null> {
    return this.logins.findPending(secret);
  }

  /** Whether the browser is still logged in. */
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

  /** Whether browsers accept a secure cookie from this address: over TLS, or on their own machine. */
  private get isSecure(): boolean {
    const { protocol, hostname } = new URL(this.config.publicUrl);
    return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
  }
}

/**
 * Whether a form was sent from one of our own pages: it has the session's token, and Fetch Metadata, if sent, agrees.
 */
export function isOwnForm(session: BrowserSession, csrfToken: unknown, request: Request): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  // Digests have equal length, and comparing them leaks nothing useful by timing.
  return typeof csrfToken === 'string' && digestOf(csrfToken) === digestOf(session.csrfToken);
}

/** The token is derived one-way from the secret. */
function sessionOf(secret: string, user: LoggedInUser | null): BrowserSession {
  return { secret, csrfToken: digestOf(`csrf ${secret}`), user };
}
