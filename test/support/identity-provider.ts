import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

export const CLIENT_ID = 'tradepost';
export const CLIENT_SECRET = 'the secret of the service at its provider';

/** Somebody as the provider knows them. */
export interface Known {
  groups: string[];
  email?: string;
  preferred_username?: string;
  given_name?: string;
  /** How the log-in there is told. */
  acr?: string;
  amr?: string[];
}

/** A real provider of OpenID Connect, on a port of its own: whoever comes is logged in as `present`. */
export class TestIdentityProvider {
  readonly users = new Map<string, Known>();
  /** Who sits at the browser. */
  present = '';
  /** `down` answers 503 to everything, `denies` refuses log-ins. */
  mood: 'works' | 'down' | 'denies' = 'works';
  /** Whether clients get refresh tokens. */
  givesRefreshTokens = true;
  readonly requests: string[] = [];
  private answer: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined;
  private provider: Provider | undefined;

  private constructor(
    private readonly server: Server,
    private readonly key: CryptoKey,
    private readonly jwk: object,
  ) {}

  /** Takes a port; it answers once it `serves`. */
  static async open(): Promise<TestIdentityProvider> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' };
    const server = createServer();
    const opened = new TestIdentityProvider(server, privateKey, jwk);
    server.on('request', (request, response) => {
      opened.requests.push(`${request.method} ${request.url}`);
      if (opened.mood === 'down' || opened.answer === undefined) response.writeHead(503).end();
      else opened.answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return opened;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get issuer(): string {
    return `http://${this.host}`;
  }

  /** The settings of a service that takes it for its provider. */
  get environment(): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_LABEL: 'Acme',
      OIDC_SCOPES: 'openid profile email groups',
      OUTGOING_INTERNAL_HOSTS: this.host,
    };
  }

  /** Is registered with these services: the first one is told of log-outs. */
  serve(...serviceUrls: readonly string[]): void {
    const provider = new Provider(this.issuer, {
      ...this.configuration,
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: serviceUrls.map((url) => `${url}/oauth/callback-oidc`),
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          backchannel_logout_uri: `${serviceUrls[0]}/oauth/backchannel-logout/oidc`,
          backchannel_logout_session_required: true,
        },
      ],
    });
    const standard = provider.callback();
    this.provider = provider;
    this.answer = (request, response) =>
      request.url?.startsWith('/interaction/') === true
        ? this.interact(provider, request, response)
        : standard(request, response);
  }

  /** Tells the service by itself that a session there has ended. */
  async tellLogout(subject: string, sessionId: string): Promise<void> {
    const client = await this.provider!.Client.find(CLIENT_ID);
    await (
      client as unknown as { backchannelLogout(sub: string, sid: string): Promise<void> }
    ).backchannelLogout(subject, sessionId);
  }

  /** A logout token as this provider signs them; claims that are undefined are left out. */
  logoutToken(claims: JWTPayload, { key = this.key, header = {} } = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const payload = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: now,
      jti: crypto.randomUUID(),
      events,
      ...claims,
    };
    return new SignJWT(Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined)))
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt', ...header })
      .sign(key);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async interact(
    provider: Provider,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (this.mood === 'denies') {
      await provider.interactionFinished(request, response, { error: 'access_denied' });
      return;
    }
    const { acr, amr } = this.users.get(this.present)!;
    const login = { accountId: this.present, ...(acr && { acr }), ...(amr && { amr }) };
    await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  }

  private get configuration(): Configuration {
    return {
      jwks: { keys: [this.jwk] },
      cookies: { keys: ['a key of the tests'] },
      pkce: { required: () => true },
      scopes: ['openid', 'offline_access', 'groups', 'profile', 'email'],
      claims: {
        openid: ['sub', 'acr', 'amr', 'auth_time', 'sid'],
        groups: ['groups'],
        profile: ['preferred_username', 'given_name', 'family_name'],
        email: ['email', 'email_verified'],
      },
      acrValues: ['urn:acme:mfa'],
      conformIdTokenClaims: false,
      issueRefreshToken: () => Promise.resolve(this.givesRefreshTokens),
      rotateRefreshToken: true,
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
      },
      // By default it calls no address inside.
      fetch: (url, { method, headers, body }: RequestInit = {}) =>
        fetch(url, { ...(method && { method }), ...(headers && { headers }), ...(body && { body }) }),
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, subject) => {
        const known = this.users.get(subject);
        if (known === undefined) return undefined;
        return {
          accountId: subject,
          claims: () => Promise.resolve({ sub: subject, email_verified: true, ...known }),
        };
      },
      loadExistingGrant: async (ctx) => {
        const { provider, client, session } = ctx.oidc;
        const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
        grant.addOIDCScope('openid profile email groups offline_access');
        await grant.save();
        return grant;
      },
    };
  }
}
