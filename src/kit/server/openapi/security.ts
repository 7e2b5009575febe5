import type { OpenAPIObject } from '@nestjs/swagger';
import { credentialPolicyOf, type CredentialPolicy } from '../../security/credential-policy.js';
import { type ScopeCatalogue, type ScopeRequirement, scopesOf } from '../../security/scope.js';
import { takesStreamTickets, TICKET_PARAMETER } from '../../security/stream-tickets.js';
import { API_KEY_HEADER } from '../../security/presented-credential.js';
import { operationsOf, type DescribedRoute } from './operations.js';

type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;
type Alternative = Record<string, string[]>;

/** The schemes whose credentials the guard takes, with the scopes that one of them can have. */
const SCOPES_OF_SCHEME = {
  client_credentials: ({ all }) => all,
  authorization_code: ({ all }) => all,
  implicit: ({ implicit }) => implicit,
  session: ({ all }) => all,
  api_key: ({ grantable }) => grantable,
  signature: ({ grantable }) => grantable,
} as const satisfies Record<string, (catalogue: ScopeCatalogue) => readonly string[]>;

type Scheme = keyof typeof SCOPES_OF_SCHEME;

const SCHEMES = Object.keys(SCOPES_OF_SCHEME) as Scheme[];

/** Both are API keys to the guard. */
const SCHEMES_OF_KEYS: readonly Scheme[] = ['api_key', 'signature'];

/** Says of an operation which credentials pass, as the guard decides by the same policy. */
export function addSecurity(
  { controller, handler, operation }: DescribedRoute,
  catalogue: ScopeCatalogue,
): void {
  const policy = credentialPolicyOf(controller, handler);
  if (policy === undefined) return;
  const alternatives = alternativesOf(policy, catalogue);
  if (takesStreamTickets(handler)) alternatives.push({ stream_ticket: [] });
  operation.security = alternatives;
}

function alternativesOf(policy: CredentialPolicy, catalogue: ScopeCatalogue): Alternative[] {
  switch (policy.access) {
    case 'public': {
      if (policy.basic !== undefined) return [{ [`${policy.basic}_basic`]: [] }, {}];
      return policy.identify ? [...SCHEMES.map((scheme) => ({ [scheme]: [] })), {}] : [];
    }
    case 'authenticated': {
      const { callers, operators, apiKeyScope } = policy;
      if (callers === 'logged_in_users') {
        const others = operators === undefined ? [] : withScopes(operators, catalogue);
        return [{ session: [] }, ...others.filter((each) => !('session' in each))];
      }
      return SCHEMES.map((scheme) => ({
        [scheme]: SCHEMES_OF_KEYS.includes(scheme) && apiKeyScope !== undefined ? [apiKeyScope.name] : [],
      }));
    }
    case 'scopes': {
      if (!policy.orAnyApiKey) return withScopes(policy.requirement, catalogue);
      const others = withScopes(policy.requirement, catalogue).filter(
        (each) => !SCHEMES_OF_KEYS.some((scheme) => scheme in each),
      );
      return [...others, ...SCHEMES_OF_KEYS.map((scheme) => ({ [scheme]: [] }))];
    }
  }
}

/** Every scheme by every set of scopes that satisfies the requirement, if its credentials can have them all. */
function withScopes(requirement: ScopeRequirement, catalogue: ScopeCatalogue): Alternative[] {
  const names = scopesOf(requirement);
  const sets = 'anyOf' in requirement ? names.map((name) => [name]) : [[...names]];
  return SCHEMES.flatMap((scheme) => {
    const possible = SCOPES_OF_SCHEME[scheme](catalogue);
    return sets
      .filter((scopes) => scopes.every((scope) => possible.includes(scope)))
      .map((scopes) => ({ [scheme]: scopes }));
  });
}

export function securitySchemesOf(publicUrl: string, catalogue: ScopeCatalogue): SecuritySchemes {
  const scopesOfScheme = (scheme: Scheme): Record<string, string> =>
    Object.fromEntries(
      SCOPES_OF_SCHEME[scheme](catalogue).map((scope) => [scope, catalogue.descriptions[scope] ?? '']),
    );
  const tokenUrl = `${publicUrl}/oauth/token`;
  const authorizationUrl = `${publicUrl}/oauth/authorize`;
  return {
    client_credentials: {
      type: 'oauth2',
      description: 'OAuth 2.0 client credentials. With no scope picked, a token has all that its client has.',
      flows: { clientCredentials: { tokenUrl, scopes: scopesOfScheme('client_credentials') } },
    },
    authorization_code: {
      type: 'oauth2',
      description:
        'OAuth 2.0 authorization code with PKCE (S256): a user lets a client act. Only operators can grant `admin`.',
      flows: {
        authorizationCode: {
          authorizationUrl,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes: scopesOfScheme('authorization_code'),
        },
      },
    },
    implicit: {
      type: 'oauth2',
      description: 'OAuth 2.0 implicit flow, for the client `petstore-ui`.',
      flows: { implicit: { authorizationUrl, scopes: scopesOfScheme('implicit') } },
    },
    session: {
      type: 'http',
      scheme: 'bearer',
      description: 'The session token that `GET /user/login` answers; it is opaque.',
    },
    api_key: {
      type: 'apiKey',
      in: 'header',
      name: API_KEY_HEADER,
      description: 'An API key; it passes where it has the scope named with it.',
    },
    signature: {
      type: 'http',
      scheme: 'signature',
      description:
        'A signature of the request by a signing key, as RFC 9421 has it, in the headers `Signature-Input` and `Signature`: label `sig1`, Ed25519, over `@method`, `@target-uri`, and `content-digest` (RFC 9530) where there is a body, with `created`, `nonce` and `keyid`. It passes where the key has the scope named with it.',
    },
    stream_ticket: {
      type: 'apiKey',
      in: 'query',
      name: TICKET_PARAMETER,
      description: 'What `POST /auth/stream-tickets` answers, for one event stream.',
    },
    client_basic: {
      type: 'http',
      scheme: 'basic',
      description: 'The id and secret of a client, instead of `client_id` and `client_secret` in the form.',
    },
    user_basic: {
      type: 'http',
      scheme: 'basic',
      description: 'The name and password of a user, for a session with every scope that the user may have.',
    },
  };
}

/** By which people try operations: for a client, for a user, and for what only who is logged in may do. */
const SCHEMES_OF_EXPLORERS: readonly string[] = ['client_credentials', 'authorization_code', 'session'];

/** Leaves these schemes alone in a document: who tries an operation needs one credential, and no choice of nine. */
export function forExplorers(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of operationsOf(document)) {
    operation.security = operation.security?.filter((alternative) =>
      Object.keys(alternative).every((scheme) => SCHEMES_OF_EXPLORERS.includes(scheme)),
    );
  }
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  const left = schemes.filter(([scheme]) => SCHEMES_OF_EXPLORERS.includes(scheme));
  document.components = { ...document.components, securitySchemes: Object.fromEntries(left) };
  return document;
}
