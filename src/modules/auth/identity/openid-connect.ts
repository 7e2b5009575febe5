import { Inject, Injectable, Logger } from '@nestjs/common';
import type { JWTVerifyGetKey } from 'jose';
import type * as openid from 'openid-client';
import { Settings } from '../../../kit/config/settings.js';
import { OutgoingHttp } from '../../../kit/outgoing/outgoing-http.js';
import { OutgoingError } from '../../../kit/outgoing/outgoing-error.js';
import { claimedGroups, claimedProfile, type Claims } from './claims.js';
import {
  type EndedIdentity,
  type IdentityLogIn,
  IdentityProvider,
  IdentityRefused,
  type ProvedIdentity,
} from './identity-provider.js';
import { OIDC_SETTINGS, type OidcConfig } from './identity-settings.js';
import { readLogoutToken } from './logout-token.js';

const CALL_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 512 * 1024;
/** By how much clocks of provider and service may differ. */
const CLOCK_TOLERANCE_S = 30;
/** Keys and addresses of providers change. */
const DISCOVERED_FOR_MS = 3_600_000;
/** Makes providers tell when the user was there; older sessions of theirs ask again. */
const AUTHENTICATED_WITHIN_S = 12 * 3_600;

interface Discovered {
  readonly client: Promise<openid.Configuration>;
  readonly atMs: number;
}

/** The built-in provider: OpenID Connect by discovery, with authorization code, PKCE and nonce. */
@Injectable()
export class OpenIdConnect extends IdentityProvider {
  override readonly name = 'oidc';
  private readonly logger = new Logger(OpenIdConnect.name);
  private readonly oidc: OidcConfig | undefined;
  private discovered: Discovered | undefined;
  private keys: { readonly address: string; readonly find: JWTVerifyGetKey } | undefined;

  constructor(
    @Inject(Settings) settings: Settings,
    private readonly outgoing: OutgoingHttp,
  ) {
    super();
    this.oidc = settings.get(OIDC_SETTINGS);
  }

  /** Whether there is one at which users may log in. */
  get isConfigured(): boolean {
    return this.oidc !== undefined;
  }

  override get label(): string {
    return this.config.label;
  }

  /** What groups may give. */
  get roles(): readonly string[] {
    return this.oidc?.roles.map(([, role]) => role) ?? [];
  }

  override async begin({ state, nonce, codeVerifier, redirectUri, isFresh }: IdentityLogIn): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    const client = await this.discover();
    const { scopes, secondFactorAcr } = this.config;
    const asksTime = isFresh || tellsTime(client);
    return buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(asksTime && { max_age: isFresh ? '0' : `${AUTHENTICATED_WITHIN_S}` }),
      ...(secondFactorAcr.length > 0 && { acr_values: secondFactorAcr.join(' ') }),
    }).href;
  }

  override async finish(logIn: IdentityLogIn, answer: URLSearchParams): Promise<ProvedIdentity> {
    const { authorizationCodeGrant } = await import('openid-client');
    const client = await this.discover();
    const { state, nonce, codeVerifier, redirectUri, isFresh, beganAt } = logIn;
    const asksTime = isFresh || tellsTime(client);
    const sinceS = Math.ceil((Date.now() - beganAt.getTime()) / 1_000);
    const tokens = await this.asking(() =>
      authorizationCodeGrant(client, new URL(`${redirectUri}?${answer.toString()}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
        ...(asksTime && { maxAge: isFresh ? sinceS : AUTHENTICATED_WITHIN_S + sinceS }),
      }),
    );
    return this.identityOf(client, tokens, undefined);
  }

  override async renew(renewal: string): Promise<ProvedIdentity> {
    const { refreshTokenGrant } = await import('openid-client');
    const client = await this.discover();
    const { refreshToken, subject } = JSON.parse(renewal) as Renewal;
    const tokens = await this.asking(() => refreshTokenGrant(client, refreshToken));
    return this.identityOf(client, tokens, { refreshToken, subject });
  }

  override async readLogout(logoutToken: string): Promise<EndedIdentity> {
    const { issuer, jwks_uri: address } = (await this.discover()).serverMetadata();
    if (address === undefined) throw new IdentityRefused('The provider has no keys to sign with.');
    const keys = await this.keysAt(address);
    return this.asking(() => readLogoutToken(logoutToken, { issuer, clientId: this.config.clientId, keys }));
  }

  /** `former` is what a renewal began with: its answers need no ID token. */
  private async identityOf(
    client: openid.Configuration,
    tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
    former: Renewal | undefined,
  ): Promise<ProvedIdentity> {
    const { fetchUserInfo } = await import('openid-client');
    const signed = tokens.claims();
    const subject = signed?.sub ?? former?.subject;
    // The same user as at the log-in: a provider that mixes them up must not change who is logged in.
    if (subject === undefined || (former !== undefined && former.subject !== subject))
      throw new IdentityRefused('The provider answered for somebody else.');
    const told: Claims =
      client.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await this.asking(() => fetchUserInfo(client, tokens.access_token, subject));
    const claims: Claims = { ...told, ...signed };
    const { groupsClaim, roles, secondFactorAcr, secondFactorAmr } = this.config;
    const groups = claimedGroups(claims, groupsClaim);
    const { acr, amr, auth_time: authTime, sid }: Claims = signed ?? {};
    const refreshToken = tokens.refresh_token ?? former?.refreshToken;
    return {
      issuer: client.serverMetadata().issuer,
      subject,
      groups,
      roles: roles.filter(([group]) => groups.includes(group)).map(([, role]) => role),
      hasSecondFactor:
        (typeof acr === 'string' && secondFactorAcr.includes(acr)) ||
        (Array.isArray(amr) && amr.some((each) => secondFactorAmr.includes(String(each)))),
      authenticatedAt: typeof authTime === 'number' ? new Date(Math.min(authTime * 1_000, Date.now())) : null,
      profile: claimedProfile(claims),
      sessionId: typeof sid === 'string' ? sid : null,
      renewal:
        refreshToken === undefined ? null : JSON.stringify({ refreshToken, subject } satisfies Renewal),
    };
  }

  /** Asked for at most every half minute, whatever tokens come. */
  private async keysAt(address: string): Promise<JWTVerifyGetKey> {
    if (this.keys?.address !== address) {
      const { createRemoteJWKSet, customFetch } = await import('jose');
      const find = createRemoteJWKSet(new URL(address), { [customFetch]: this.fetch });
      this.keys = { address, find };
    }
    return this.keys.find;
  }

  private get config(): OidcConfig {
    if (this.oidc === undefined) throw new Error('OIDC_ISSUER is not set');
    return this.oidc;
  }

  /** What the provider says of itself, asked for again once an hour, and after a failure by the next who needs it. */
  private discover(): Promise<openid.Configuration> {
    if (this.discovered === undefined || performance.now() - this.discovered.atMs > DISCOVERED_FOR_MS) {
      const client = this.ask();
      const discovered = { client, atMs: performance.now() };
      this.discovered = discovered;
      client.catch(() => {
        if (this.discovered === discovered) this.discovered = undefined;
      });
    }
    return this.discovered.client;
  }

  private async ask(): Promise<openid.Configuration> {
    const library = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.config;
    // Only outside of production; the library marks it deprecated so that nobody overlooks it.
    // eslint-disable-next-line typescript/no-deprecated
    const plainHttp = library.allowInsecureRequests;
    const client = await library.discovery(
      new URL(issuer),
      clientId,
      { [library.clockTolerance]: CLOCK_TOLERANCE_S },
      clientSecret === null
        ? library.None()
        : (server, ...rest) => {
            const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
            const authenticate = methods.includes('client_secret_basic')
              ? library.ClientSecretBasic
              : library.ClientSecretPost;
            return authenticate(clientSecret)(server, ...rest);
          },
      {
        [library.customFetch]: this.fetch,
        timeout: CALL_MS_MAX / 1_000,
        execute: [library.enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [plainHttp] : [])],
      },
    );
    if (client.serverMetadata().issuer !== issuer)
      throw new Error(`OIDC_ISSUER names itself otherwise: ${client.serverMetadata().issuer}`);
    return client;
  }

  /** By the guard of all outgoing calls. The operator has named the provider, so it may be inside where the operator lists it. */
  private readonly fetch = async (
    url: string,
    { method = 'GET', headers, body }: Asked = {},
  ): Promise<Response> => {
    const answer = await this.outgoing.request({
      method: method as 'GET' | 'POST',
      url,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body != null && { body: String(body as string | URLSearchParams) }),
      timeoutMs: CALL_MS_MAX,
      bodyBytesMax: ANSWER_BYTES_MAX,
      isInternal: true,
      ...(this.config.issuer.startsWith('http:') && { plainHttp: true }),
    });
    const shown = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    );
    return new Response(answer.body.length === 0 ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: shown,
    });
  };

  /** Tells what the provider refuses, or fails to prove, from what does not work just now. */
  private async asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof IdentityRefused || isAway(error)) throw error;
      // Without the error itself, whose causes hold claims and answers.
      const { message, code, error: answer } = error as Readonly<Record<string, unknown>>;
      this.logger.warn({ msg: 'an identity was not proved', reason: message, code, answer });
      throw new IdentityRefused('The provider did not prove who you are.', { cause: error });
    }
  }
}

interface Renewal {
  readonly refreshToken: string;
  readonly subject: string;
}

type Asked = Partial<Pick<openid.CustomFetchOptions, 'method' | 'headers' | 'body'>>;

function tellsTime(client: openid.Configuration): boolean {
  return client.serverMetadata().claims_supported?.includes('auth_time') === true;
}

/** What a provider answers of the service and of itself, and not of the user. */
const NOT_OF_THE_USER: ReadonlySet<unknown> = new Set([
  'invalid_client',
  'unauthorized_client',
  'server_error',
  'temporarily_unavailable',
]);

/** No answer, or one of a provider that does not work: nothing is proved, and nothing refused. */
function isAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutgoingError) return true;
    const { status, error: answer } = cause as { readonly status?: unknown; readonly error?: unknown };
    if (NOT_OF_THE_USER.has(answer)) return true;
    if (typeof status === 'number' && (status >= 500 || status === 429)) return true;
    if (cause.cause instanceof Response && cause.cause.status >= 500) return true;
  }
  return false;
}
