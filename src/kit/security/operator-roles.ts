/** Who among the operators may do what. `docs/roles.md` is the matrix of routes and roles, made from the routes themselves. */
import { ADMIN, Scope, type ScopeRequirement } from './scope.js';

export const OPERATOR_SUPPORT = role(
  'support',
  'help customers as an operator',
  'Kunden als Mitarbeiter helfen',
);
export const OPERATOR_COMPLIANCE = role(
  'compliance',
  'decide who customers are, and what they may do',
  'entscheiden, wer Kunden sind und was sie dürfen',
);
export const OPERATOR_FINANCE = role(
  'finance',
  'move money of customers and of the house',
  'Geld der Kunden und des Hauses bewegen',
);
export const OPERATOR_MARKETS = role(
  'markets',
  'decide what is traded, and how it ends',
  'entscheiden, was gehandelt wird und wie es ausgeht',
);
export const OPERATOR_CONTENT = role(
  'content',
  'edit and moderate what is published',
  'bearbeiten und moderieren, was veröffentlicht wird',
);
export const OPERATOR_SECURITY = role(
  'security',
  'lock users, reset factors, rotate keys, read the audit log',
  'Benutzer sperren, Faktoren zurücksetzen, Schlüssel wechseln, das Prüfprotokoll lesen',
);
/** Figures, texts and states of the service, and nothing of a person. */
export const OPERATOR_READ = role(
  'read',
  'read figures of the service, without personal data',
  'Zahlen des Dienstes lesen, ohne personenbezogene Daten',
);

/** All but `admin`, which means all of them. */
export const OPERATOR_ROLES: readonly Scope[] = [
  OPERATOR_SUPPORT,
  OPERATOR_COMPLIANCE,
  OPERATOR_FINANCE,
  OPERATOR_MARKETS,
  OPERATOR_CONTENT,
  OPERATOR_SECURITY,
  OPERATOR_READ,
];

/** For `@RequireScopes`: `admin`, or one of these roles. */
export function operators(
  ...roles: readonly Scope[]
): { readonly anyOf: readonly Scope[] } & ScopeRequirement {
  return { anyOf: [ADMIN, ...roles] };
}

function role(name: string, description: string, german: string): Scope {
  return new Scope(`operator:${name}`, description, { isForOperators: true, german });
}
