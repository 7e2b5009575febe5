import {
  AuthorizationServer,
  ErrorType,
  OAuthException,
  type AuthorizationRequest,
} from '@jmondi/oauth2-server';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { CONSOLE_CLIENT_ID } from '../../../kit/security/principal.js';
import type { GrantType, OAuthClientEntity } from '../clients/oauth-client.entity.js';
import { OAuthClientsService } from '../clients/oauth-clients.service.js';
import { AccessTokensService } from '../tokens/access-tokens.service.js';
import { GrantsService } from '../tokens/grants.service.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { holdsRole } from '../../users/operator-standing.js';
import type { LoggedInUser } from '../tokens/login-sessions.service.js';
import { isRegisteredRedirectUri } from '../oauth/redirect-uris.js';
import { identifierOf } from '../oauth/user-reference.js';
import { SCOPE_LIST, invalidRequest } from '../oauth/token-request.js';
import { AuthorizationAnswer, type ResponseMode } from './authorization-answer.js';

/** A query as the server's parser leaves it: a repeated parameter is an array. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The pages that the client wants the user to see (OpenID Connect, 3.1.2.1); all but the console ask for consent. */
export interface Prompt {
  /** No page: answer without the user. */
  readonly none: boolean;
  /** The login page, even if logged in. */
  readonly login: boolean;
}

/** A valid authorization request of a known client that lacks only the user's consent. */
export interface Authorization {
  readonly client: OAuthClientEntity;
  readonly answer: AuthorizationAnswer;
  readonly prompt: Prompt;
  /** As parsed by the library. */
  readonly request: AuthorizationRequest;
}

interface ResponseType {
  readonly grant: GrantType;
  readonly mode: ResponseMode;
}

const RESPONSE_TYPES: ReadonlyMap<string, ResponseType> = new Map<string, ResponseType>([
  ['code', { grant: 'authorization_code', mode: 'query' }],
  ['token', { grant: 'implicit', mode: 'fragment' }],
]);

const PROMPTS: ReadonlySet<string> = new Set(['none', 'login', 'consent', 'select_account']);

/** A SHA-256 in base64url, as S256 makes it (RFC 7636, 4.2). */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads and answers authorization requests. The library handles scopes, codes and tokens. This class first refuses what
 * the library accepts too easily: a redirect address with another query or port, repeated parameters, any client for a
 * code.
 */
@Injectable()
export class Authorizations {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clients: OAuthClientsService,
    private readonly server: AuthorizationServer,
    private readonly tokens: AccessTokensService,
    private readonly grants: GrantsService,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /**
   * Reads an authorization request. Rejects with `invalid_request` until client and redirect address are verified; with
   * a RedirectedRefusal for any later error.
   */
  async read(query: Query): Promise<Authorization> {
    const client = await this.findClient(single(query, 'client_id'));
    const redirectUri = single(query, 'redirect_uri');
    const responseType = RESPONSE_TYPES.get(String(query['response_type']));
    // RFC 8252 (7.3) allows any port for native apps, which have no secret and use PKCE. The console is at one address,
    // and gets its codes without anybody being asked.
    const anyLoopbackPort =
      responseType?.grant === 'authorization_code' && client.secretHash === null && !isConsole(client);
    if (
      redirectUri === undefined ||
      !isRegisteredRedirectUri(redirectUri, client.redirectUris, { anyLoopbackPort })
    ) {
      throw invalidRequest('The redirect_uri is not one that the client is registered with.');
    }
    const mode = responseType?.mode ?? 'query';
    const answer = new AuthorizationAnswer(redirectUri, mode, single(query, 'state'), this.config.publicUrl);
    const prompt = this.check(query, client, responseType, answer);
    return { client, answer, prompt, request: await this.readByLibrary(query, answer) };
  }

  /**
   * The scopes that this user can grant: all requested ones, of the roles of operators those that the user holds. Throws a RedirectedRefusal
   * if none is left.
   */
  scopesFor({ client, request, answer }: Authorization, user: LoggedInUser): string[] {
    // What an identity gives ends with its session, and grants to others go on after that.
    const standing = isConsole(client) ? user : { ...user, identityRoles: [] };
    const held = this.scopes.heldBy((role) => holdsRole(standing, role));
    const scopes = request.scopes.map(({ name }) => name).filter((name) => held.includes(name));
    if (scopes.length === 0) {
      throw answer.refusal('access_denied', 'The user may do nothing of what is asked for.');
    }
    return scopes;
  }

  /**
   * Issues what the user allows and returns the browser's next address. `isStillLoggedIn` is checked after issuing: an
   * event that ends the log-in, such as a new password, revokes what was issued before it, and would miss this. Rejects
   * as `scopesFor` throws, and with a RedirectedRefusal if the log-in has ended.
   */
  async allow(
    authorization: Authorization,
    user: LoggedInUser,
    isStillLoggedIn: () => Promise<boolean>,
  ): Promise<string> {
    const { request, answer } = authorization;
    const scopes = this.scopesFor(authorization, user);
    request.scopes = scopes.map((name) => ({ name }));
    const sessionId = isConsole(authorization.client) ? user.sessionId : null;
    request.user = { id: identifierOf({ userId: user.userId, sessionId }) };
    request.isAuthorizationApproved = true;
    const { headers } = await this.server.completeAuthorizationRequest(request);
    const location = answer.complete(String(headers['location']));
    if (!(await isStillLoggedIn())) {
      await this.takeBack(new URL(location));
      throw answer.refusal('access_denied', 'The user is logged out.');
    }
    if (request.grantTypeId !== 'implicit') return location;
    // RFC 6749 (4.2.2) requires the scope if it differs from the requested one; it is harmless otherwise.
    return `${location}&${new URLSearchParams({ scope: scopes.join(' ') }).toString()}`;
  }

  /** Revokes the code or the token in an answer. */
  private async takeBack({ searchParams, hash }: URL): Promise<void> {
    const token = new URLSearchParams(hash.slice(1)).get('access_token');
    if (token !== null) await this.tokens.revoke(token);
    const code = searchParams.get('code');
    if (code !== null) await this.grants.endByCode(code);
  }

  private async findClient(clientId: string | undefined): Promise<OAuthClientEntity> {
    const client = clientId === undefined ? null : await this.clients.find(clientId);
    if (client === null) throw invalidRequest('The client_id is not that of a registered client.');
    return client;
  }

  /** Refuses what the library does not refuse, or refuses too late. */
  private check(
    query: Query,
    client: OAuthClientEntity,
    responseType: ResponseType | undefined,
    answer: AuthorizationAnswer,
  ): Prompt {
    const repeated = Object.keys(query).find((name) => Array.isArray(query[name]));
    if (repeated !== undefined) throw answer.refusal('invalid_request', `Send ${nameOf(repeated)} once.`);
    if (!query['response_type']) throw answer.refusal('invalid_request', 'Send response_type.');
    if (responseType === undefined) {
      throw answer.refusal('unsupported_response_type', 'Use response_type=code or response_type=token.');
    }
    if (!client.grantTypes.includes(responseType.grant)) {
      throw answer.refusal('unauthorized_client', 'The client is not registered for this response_type.');
    }
    if ((single(query, 'response_mode') ?? responseType.mode) !== responseType.mode) {
      throw answer.refusal('invalid_request', `Use response_mode=${responseType.mode}, or none.`);
    }
    const scope = single(query, 'scope');
    if (scope !== undefined && !SCOPE_LIST.test(scope)) {
      throw answer.refusal('invalid_scope', 'Separate scopes by single spaces.');
    }
    if (responseType.grant === 'authorization_code') checkChallenge(query, answer);
    return readPrompt(single(query, 'prompt'), answer);
  }

  private async readByLibrary(query: Query, answer: AuthorizationAnswer): Promise<AuthorizationRequest> {
    try {
      return await this.server.validateAuthorizationRequest({ headers: {}, query: { ...query }, body: {} });
    } catch (error) {
      if (!(error instanceof OAuthException)) throw error;
      if (error.errorType !== ErrorType.InvalidScope) throw error;
      throw answer.refusal('invalid_scope', 'Ask only for scopes that the client may have in this way.');
    }
  }
}

/** Whether the client is the service's own console, for which log-in is consent. */
export function isConsole({ clientId }: OAuthClientEntity): boolean {
  return clientId === CONSOLE_CLIENT_ID;
}

/** Every client must use PKCE with S256: the plain method does not protect against somebody who reads the request. */
function checkChallenge(query: Query, answer: AuthorizationAnswer): void {
  const isGood = CODE_CHALLENGE.test(single(query, 'code_challenge') ?? '');
  if (isGood && query['code_challenge_method'] === 'S256') return;
  throw answer.refusal(
    'invalid_request',
    'Send a code_challenge with code_challenge_method=S256 (RFC 7636).',
  );
}

function readPrompt(prompt: string | undefined, answer: AuthorizationAnswer): Prompt {
  const values = new Set(prompt?.split(' '));
  const none = values.has('none');
  if ([...values].some((value) => !PROMPTS.has(value)) || (none && values.size > 1)) {
    throw answer.refusal('invalid_request', `Use a prompt of ${[...PROMPTS].join(', ')}.`);
  }
  return { none, login: values.has('login') || values.has('select_account') };
}

/** A parameter without a value counts as absent (RFC 6749, 3.1); so does a repeated one. */
function single(query: Query, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An error description allows only some characters (RFC 6749, 4.1.2.1); a parameter's name may have any. */
function nameOf(parameter: string): string {
  return /^\w{1,64}$/.test(parameter) ? parameter : 'every parameter';
}
