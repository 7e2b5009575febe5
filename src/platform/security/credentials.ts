/**
 * Every route declares its credential policy once. The guard enforces that declaration and OpenAPI shows it. A route
 * without one keeps the service from starting.
 */
import { SetMetadata, applyDecorators } from '@nestjs/common';
import { ApiForbiddenResponse, ApiSecurity, ApiUnauthorizedResponse } from '@nestjs/swagger';
import type { Scope, ScopeRequirement } from './scopes.js';

/** The security schemes, under the names that OpenAPI gives them. */
export type CredentialScheme = 'client_credentials' | 'implicit' | 'api_key' | 'session';

export type CredentialPolicy =
  /** No credential. With `identify`, a credential that is sent is checked and gives a principal. */
  | { readonly access: 'public'; readonly identify: boolean }
  /** Any principal; an API key needs this scope, where there is one. */
  | { readonly access: 'authenticated'; readonly apiKeyScope: Scope | undefined }
  | {
      readonly access: 'scopes';
      readonly requirement: ScopeRequirement;
      /** An API key suffices without any scope. */
      readonly orAnyApiKey: boolean;
    };

const CREDENTIAL_POLICY = Symbol('credential policy');

/**
 * Anyone may call. With `identify: true` a credential that is sent is checked (an invalid one is 401), for routes that
 * show some callers more.
 */
export function Public(options: { identify?: boolean } = {}): MethodDecorator & ClassDecorator {
  return declare({ access: 'public', identify: options.identify ?? false });
}

/** Any known principal may call, whatever its scopes; with `apiKeyScope` an API key needs that one. */
export function Authenticated(
  schemes: readonly CredentialScheme[] = ['client_credentials', 'api_key'],
  { apiKeyScope }: { readonly apiKeyScope?: Scope } = {},
): MethodDecorator & ClassDecorator {
  const scopesOfKeys = apiKeyScope === undefined ? [] : [apiKeyScope];
  return applyDecorators(
    declare({ access: 'authenticated', apiKeyScope }),
    ...schemes.map((scheme) => ApiSecurity(scheme, scheme === 'api_key' ? scopesOfKeys : [])),
    ApiUnauthorizedResponse({ description: 'No credential, or a bad one.' }),
    ...(apiKeyScope === undefined
      ? []
      : [
          ApiForbiddenResponse({
            description: `\`insufficient_scope\`: an API key needs \`${apiKeyScope}\`.`,
          }),
        ]),
  );
}

/**
 * Only principals with these scopes may call. `schemes` is what OpenAPI shows; at run time the scopes
 * decide, whatever scheme brought them. With `orAnyApiKey: true` an API key needs none of them.
 */
export function RequireScopes(
  requirement: ScopeRequirement,
  schemes: readonly CredentialScheme[] = ['client_credentials'],
  { orAnyApiKey = false }: { readonly orAnyApiKey?: boolean } = {},
): MethodDecorator & ClassDecorator {
  const alternatives =
    'anyOf' in requirement ? requirement.anyOf.map((scope) => [scope]) : [[...requirement.allOf]];
  return applyDecorators(
    declare({ access: 'scopes', requirement, orAnyApiKey }),
    ...schemes.flatMap((scheme) => alternatives.map((scopes) => ApiSecurity(scheme, scopes))),
    ...(orAnyApiKey ? [ApiSecurity('api_key', [])] : []),
    ApiUnauthorizedResponse({ description: 'No credential, or a bad one.' }),
    ApiForbiddenResponse({ description: 'The credential lacks a scope that this route needs.' }),
  );
}

const policies = new WeakMap<object, WeakMap<object, CredentialPolicy>>();

/**
 * The credential policy for `handler` of `controller`: the handler's own, else the class's; `undefined` where neither
 * declares any, which a guard must refuse.
 */
export function credentialPolicyOf(controller: object, handler: object): CredentialPolicy | undefined {
  const known = policies.get(controller)?.get(handler);
  if (known) return known;
  const declared = (Reflect.getMetadata(CREDENTIAL_POLICY, handler) ??
    Reflect.getMetadata(CREDENTIAL_POLICY, controller)) as CredentialPolicy | undefined;
  if (declared) {
    const ofController = policies.get(controller) ?? new WeakMap<object, CredentialPolicy>();
    policies.set(controller, ofController.set(handler, declared));
  }
  return declared;
}

function declare(policy: CredentialPolicy): MethodDecorator & ClassDecorator {
  return SetMetadata(CREDENTIAL_POLICY, policy);
}
