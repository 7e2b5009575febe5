import { WordCatalog } from '../words/word-catalog.js';

export interface ScopeTraits {
  /** The description in German, for pages of consent in it; left out, it stays as it is. */
  readonly german?: string;
  /** Whoever hands it out must be there in person, since who has it can move money. */
  readonly movesMoney?: boolean;
  /** Whether a session has it after a log-in whose password was in an address. */
  readonly isForQueryLogIn?: boolean;
  /** Whether an implicit-flow token may carry it: such a token passes through the address bar of a browser. */
  readonly isForImplicitGrant?: boolean;
  /** Whether it is a role of operators: a user holds it by `PUT /admin/users/{username}/roles`, and no key of a user has it. */
  readonly isForOperators?: boolean;
}

/**
 * What a credential may be allowed to do: declare it once as a constant, list it in `scopes` of the module, and use it in
 * `@RequireScopes`. API keys, clients and sessions can have it.
 */
export class Scope {
  readonly movesMoney: boolean;
  readonly isForQueryLogIn: boolean;
  readonly isForImplicitGrant: boolean;
  readonly isForOperators: boolean;
  readonly german: string;

  constructor(
    /** Such as `acme-loyalty:read`: the name of the group or plugin, a colon, and what is allowed. */
    readonly name: string,
    /** Shown on consent pages and in OpenAPI, such as `read loyalty points`. */
    readonly description: string,
    {
      movesMoney = false,
      isForQueryLogIn = false,
      isForImplicitGrant = false,
      isForOperators = false,
      german = description,
    }: ScopeTraits = {},
  ) {
    this.movesMoney = movesMoney;
    this.isForQueryLogIn = isForQueryLogIn;
    this.isForImplicitGrant = isForImplicitGrant;
    this.isForOperators = isForOperators;
    this.german = german;
  }
}

/** All roles of operators in one. */
export const ADMIN = new Scope('admin', 'operate the service', {
  isForOperators: true,
  german: 'den Dienst betreiben',
});

/** Stands in DTOs for the scopes that keys may have, which only the whole application knows. */
export const GRANTABLE_SCOPES: string[] = ['the scopes that keys may have'];

/** Stands in DTOs for the roles of operators, which plugins may add to. */
export const ROLES: string[] = ['the roles of operators'];

/** What a route or a namespace asks for: one of several scopes, or all of them. */
export type ScopeRequirement = { readonly anyOf: readonly Scope[] } | { readonly allOf: readonly Scope[] };

export function grants(scopes: ReadonlySet<string>, requirement: ScopeRequirement): boolean {
  return 'anyOf' in requirement
    ? requirement.anyOf.some(({ name }) => scopes.has(name))
    : requirement.allOf.every(({ name }) => scopes.has(name));
}

/** The names of the scopes that a requirement is about. */
export function scopesOf(requirement: ScopeRequirement): readonly string[] {
  return ('anyOf' in requirement ? requirement.anyOf : requirement.allOf).map(({ name }) => name);
}

/** All scopes of one application. */
export class ScopeCatalogue {
  private readonly byName: ReadonlyMap<string, Scope>;
  /** Their names. */
  readonly all: readonly string[];
  /** Those that API keys, and clients that users make for themselves, may have: roles of operators are for people. */
  readonly grantable: readonly string[];
  /** The roles of operators, `admin` among them. */
  readonly roles: readonly string[];
  readonly implicit: readonly string[];
  /** The words for each. */
  readonly descriptions: Readonly<Record<string, string>>;
  /** The same, in all languages. */
  readonly words: WordCatalog<Readonly<Record<string, string>>>;

  constructor(scopes: readonly Scope[]) {
    this.byName = new Map(scopes.map((scope) => [scope.name, scope]));
    this.all = scopes.map(({ name }) => name);
    this.grantable = this.all.filter((name) => !this.byName.get(name)!.isForOperators);
    this.roles = this.all.filter((name) => this.byName.get(name)!.isForOperators);
    this.implicit = scopes.filter((scope) => scope.isForImplicitGrant).map(({ name }) => name);
    this.descriptions = Object.fromEntries(scopes.map(({ name, description }) => [name, description]));
    this.words = new WordCatalog('scopes', {
      en: this.descriptions,
      de: Object.fromEntries(scopes.map(({ name, german }) => [name, german])),
    });
  }

  find(name: string): Scope | undefined {
    return this.byName.get(name);
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** Whether whoever hands out these must be there in person. */
  moveMoney(names: readonly string[]): boolean {
    return names.some((name) => this.find(name)?.movesMoney === true);
  }

  /** Whether who has these scopes is an operator, in whatever role. */
  isOperator(scopes: ReadonlySet<string>): boolean {
    return this.roles.some((role) => scopes.has(role));
  }

  /** All scopes, of the roles of operators those that somebody holds. */
  heldBy(holds: (role: string) => boolean): readonly string[] {
    return this.all.filter((scope) => !this.roles.includes(scope) || holds(scope));
  }

  /** The scopes of a requirement that this application does not have. */
  missingOf(requirement: ScopeRequirement): readonly string[] {
    return scopesOf(requirement).filter((scope) => !this.has(scope));
  }
}
