import { SCOPES, scopesOf, type Scope, type ScopeRequirement } from './scopes.js';

/**
 * A scope that a plugin adds: declare it once as a constant, list it in `scopes` of the plugin, and use it in
 * `@RequireScopes`. API keys, clients and sessions can have it as they have the service's own.
 */
export class PluginScope {
  constructor(
    /** Such as `acme-loyalty:read`: the plugin's name, a colon, and what is allowed. */
    readonly name: `${string}:${string}`,
    /** Shown on consent pages and in OpenAPI, such as `read loyalty points`. */
    readonly description: string,
  ) {}
}

/** What a route or a namespace asks for, in scopes of the service and of plugins. */
export type RequiredScopes =
  | { readonly anyOf: readonly (Scope | PluginScope)[] }
  | { readonly allOf: readonly (Scope | PluginScope)[] };

/** The same with the names of scopes alone, as credentials have them. */
export function requirementOf(required: RequiredScopes): ScopeRequirement {
  return 'anyOf' in required ? { anyOf: required.anyOf.map(nameOf) } : { allOf: required.allOf.map(nameOf) };
}

function nameOf(scope: Scope | PluginScope): Scope {
  // A plugin's scope is a scope like any other once the catalogue has it.
  return typeof scope === 'string' ? scope : (scope.name as Scope);
}

/** All scopes of one application: the service's and its plugins'. */
export class ScopeCatalogue {
  /** The words for each scope. */
  readonly descriptions: Readonly<Record<string, string>>;
  /** All that API keys, and clients that users make for themselves, may have: `admin` is for people. */
  readonly grantable: readonly Scope[];

  constructor(readonly added: readonly PluginScope[] = []) {
    this.descriptions = {
      ...SCOPES,
      ...Object.fromEntries(added.map(({ name, description }) => [name, description])),
    };
    this.grantable = this.all.filter((scope) => scope !== 'admin');
  }

  get all(): readonly Scope[] {
    return Object.keys(this.descriptions) as Scope[];
  }

  has(name: string): boolean {
    return Object.hasOwn(this.descriptions, name);
  }

  /** The scopes of a requirement that this application does not have. */
  missingOf(requirement: ScopeRequirement): readonly string[] {
    return scopesOf(requirement).filter((scope) => !this.has(scope));
  }
}
