import { TradepostError } from './errors.js';
import type { UnsignedRequest } from './signatures.js';
import { unlessAborted } from './waiting.js';

/** What a request or a handshake carries: a secret, or a signature that is made for it. */
export type Secret = SentSecret | Signing;

export interface SentSecret {
  readonly scheme: 'bearer' | 'api_key';
  readonly value: string;
  readonly expiresAtMs: number | undefined;
}

export interface Signing {
  readonly scheme: 'signature';
  /** The headers to add. */
  readonly sign: (request: UnsignedRequest) => Promise<Readonly<Record<string, string>>>;
  readonly expiresAtMs: undefined;
}

export interface IssuedToken {
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token?: string;
}

/** Posts a form to a token endpoint; `isRepeatable` where sending it twice does no harm. */
export type RequestToken = (
  path: '/auth/token' | '/oauth/token',
  form: Readonly<Record<string, string>>,
  isRepeatable: boolean,
) => Promise<IssuedToken>;

/** How a client proves who it is. */
export interface Credentials {
  /** Whether `issue` gives another secret after one was refused. */
  readonly isRenewable: boolean;
  issue(requestToken: RequestToken): Promise<Secret>;
}

/** A client of the service by its id and secret. */
export function clientCredentials(client: {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces; without it, all that the client has. */
  readonly scope?: string;
}): Credentials {
  return {
    isRenewable: true,
    async issue(requestToken) {
      const form = {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: client.clientSecret,
        ...(client.scope !== undefined && { scope: client.scope }),
      };
      return secretOf(await requestToken('/auth/token', form, true));
    },
  };
}

/** What the browser brought back from `/oauth/authorize`: a code, exchanged once, and refreshed from then on. */
export function authorizationCode(grant: {
  readonly clientId: string;
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}): Credentials {
  let refreshing: Credentials | undefined;
  return {
    isRenewable: true,
    async issue(requestToken) {
      if (refreshing !== undefined) return refreshing.issue(requestToken);
      const form = {
        grant_type: 'authorization_code',
        client_id: grant.clientId,
        code: grant.code,
        code_verifier: grant.codeVerifier,
        redirect_uri: grant.redirectUri,
      };
      // Never repeated: the service takes a second use for theft and revokes the grant.
      const token = await requestToken('/oauth/token', form, false);
      if (token.refresh_token !== undefined)
        refreshing = refreshToken({ clientId: grant.clientId, refreshToken: token.refresh_token });
      return secretOf(token);
    },
  };
}

/** A user's grant to a client: a refresh token, which is good once and answered with its successor. */
export function refreshToken(grant: {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly refreshToken: string;
  /** Called with each successor, to be stored: the one before it no longer works. */
  readonly onRefresh?: (refreshToken: string) => void | Promise<void>;
}): Credentials {
  let next = grant.refreshToken;
  return {
    isRenewable: true,
    async issue(requestToken) {
      const form = {
        grant_type: 'refresh_token',
        refresh_token: next,
        client_id: grant.clientId,
        ...(grant.clientSecret !== undefined && { client_secret: grant.clientSecret }),
      };
      // Never repeated: the service takes a second use for theft and revokes the grant.
      const token = await requestToken('/oauth/token', form, false);
      if (token.refresh_token !== undefined) {
        next = token.refresh_token;
        await grant.onRefresh?.(next);
      }
      return secretOf(token);
    },
  };
}

export function apiKey(key: string): Credentials {
  return { isRenewable: false, issue: () => Promise.resolve(secret('api_key', key)) };
}

/** The token of a user's session, or any other access token; a function is asked again once one was refused. */
export function sessionToken(token: string | (() => string | Promise<string>)): Credentials {
  return {
    isRenewable: typeof token === 'function',
    issue: async () => secret('bearer', typeof token === 'function' ? await token() : token),
  };
}

/** A token that lives for less is renewed when a tenth of its life is left. */
const RENEW_AHEAD_MS_MAX = 60_000;
const RENEW_AGAIN_MS = 5_000;

/** Keeps the secret of a client, renews it before it expires, and has one renewal under way at most. */
export class SecretKeeper {
  readonly #credentials: Credentials;
  readonly #requestToken: RequestToken;
  #secret: Secret | undefined;
  #renewAtMs = Infinity;
  #renewal: Promise<Secret> | undefined;

  constructor(credentials: Credentials, requestToken: RequestToken) {
    this.#credentials = credentials;
    this.#requestToken = requestToken;
  }

  /** When `secret` gives another one than now. */
  get renewAtMs(): number {
    return this.#renewAtMs;
  }

  async secret(signal?: AbortSignal): Promise<Secret> {
    const known = this.#secret;
    if (known === undefined) return unlessAborted(this.#renew(), signal);
    if (Date.now() < this.#renewAtMs) return known;
    try {
      return await unlessAborted(this.#renew(), signal);
    } catch (error) {
      if (signal?.aborted === true || Date.now() >= (known.expiresAtMs ?? Infinity)) throw error;
      // Still good: the next call after a pause tries again.
      this.#renewAtMs = Date.now() + RENEW_AGAIN_MS;
      return known;
    }
  }

  /** Gets another one in place of a secret that was refused; false where there is none to get. */
  async replace(refused: Secret, signal?: AbortSignal): Promise<boolean> {
    if (!this.#credentials.isRenewable) return false;
    if (this.#secret === refused) this.#secret = undefined;
    await this.secret(signal);
    return true;
  }

  #renew(): Promise<Secret> {
    this.#renewal ??= this.#issue().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #issue(): Promise<Secret> {
    const issued = await this.#credentials.issue(this.#requestToken);
    this.#secret = issued;
    const lifeMs = (issued.expiresAtMs ?? Infinity) - Date.now();
    this.#renewAtMs = Date.now() + lifeMs - Math.min(RENEW_AHEAD_MS_MAX, lifeMs / 10);
    if (lifeMs === Infinity) this.#renewAtMs = Infinity;
    return issued;
  }
}

function secretOf({ access_token: value, expires_in: seconds }: IssuedToken): Secret {
  return secret('bearer', value, Date.now() + seconds * 1_000);
}

function secret(scheme: SentSecret['scheme'], value: string, expiresAtMs?: number): SentSecret {
  // The runtime's own complaint about a bad header would repeat the secret.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new TradepostError({
      code: scheme === 'bearer' ? 'invalid_token' : 'invalid_api_key',
      message: 'The credential is empty or has characters that no header can carry.',
      operation: 'authentication',
    });
  }
  return { scheme, value, expiresAtMs };
}
