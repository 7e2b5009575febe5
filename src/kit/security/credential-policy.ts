/**
 * Every route declares its credential policy once. The guard enforces that declaration and OpenAPI shows it. A route
 * without one keeps the service from starting.
 */
import { SetMetadata } from '@nestjs/common';
import type { Scope, ScopeRequirement } from './scope.js';

/** Whose secret a route takes by HTTP Basic, instead of an access token. */
export type BasicCredential = 'client' | 'user';

/** Which principals an operation takes, whatever their scopes: its handler refuses the others with `forbidden`. */
export type Callers = 'anyone' | 'logged_in_users';

export type CredentialPolicy =
  /**
   * No credential. With `identify`, a credential that is sent is checked and gives a principal; with `basic`, the handler
   * reads one itself.
   */
  | { readonly access: 'public'; readonly identify: boolean; readonly basic: BasicCredential | undefined }
  /** Any principal; an API key needs this scope, where there is one. */
  | {
      readonly access: 'authenticated';
      readonly callers: Callers;
      /** Operators whom the handler takes beside these callers. */
      readonly operators: ScopeRequirement | undefined;
      readonly apiKeyScope: Scope | undefined;
    }
  | {
      readonly access: 'scopes';
      readonly requirement: ScopeRequirement;
      /** An API key suffices without any scope. */
      readonly orAnyApiKey: boolean;
    };

const CREDENTIAL_POLICY = Symbol('credential policy');

/**
 * Anyone may call. With `identify: true` a credential that is sent is checked (an invalid one is 401), for routes that
 * show some callers more. `basic` says whose credential the handler reads from HTTP Basic, where it does.
 */
export function Public({
  identify = false,
  basic,
}: { identify?: boolean; basic?: BasicCredential } = {}): MethodDecorator & ClassDecorator {
  return declare({ access: 'public', identify, basic });
}

/**
 * Any known principal may call, whatever its scopes; with `apiKeyScope` an API key needs that one. `callers` says whom
 * the handlers take, where they refuse some, and `operators` which operators they take beside them.
 */
export function Authenticated({
  callers = 'anyone',
  operators,
  apiKeyScope,
}: { callers?: Callers; operators?: ScopeRequirement; apiKeyScope?: Scope } = {}): MethodDecorator &
  ClassDecorator {
  return declare({ access: 'authenticated', callers, operators, apiKeyScope });
}

/**
 * Only principals with these scopes may call, whatever credential brought them. With `orAnyApiKey: true` an API key
 * needs none of them.
 */
export function RequireScopes(
  requirement: ScopeRequirement,
  { orAnyApiKey = false }: { readonly orAnyApiKey?: boolean } = {},
): MethodDecorator & ClassDecorator {
  return declare({ access: 'scopes', requirement, orAnyApiKey });
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
