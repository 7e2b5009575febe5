import type { OpenAPIObject } from '@nestjs/swagger';
import { OPERATOR_ROLES } from '../../src/kit/security/operator-roles.js';
import { ADMIN } from '../../src/kit/security/scope.js';

interface Operation {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The columns of the table. */
export const ROLE_NAMES = OPERATOR_ROLES.map(({ name }) => name);

/** One route for operators, with the roles that may call it; `admin` may call all of them. */
export interface OperatorRoute {
  /** Such as `GET /admin/users`. */
  readonly name: string;
  readonly roles: readonly string[];
}

/** The routes that the document opens to operators, sorted by path. */
export function operatorRoutesOf({ paths }: OpenAPIObject): OperatorRoute[] {
  return Object.entries(paths)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([path, operations]) =>
      METHODS.flatMap((method) => {
        const { security = [] } = ((operations as Record<string, unknown>)[method] ?? {}) as Operation;
        const scopes = new Set(security.flatMap(({ client_credentials: ofClients = [] }) => ofClients));
        if (!scopes.has(ADMIN.name)) return [];
        const roles = ROLE_NAMES.filter((role) => scopes.has(role));
        return [{ name: `${method.toUpperCase()} ${path}`, roles }];
      }),
    );
}

/** As Markdown: a row for each route, a column for each role. */
export function rolesTableOf(document: OpenAPIObject): string {
  const head = ['Route', ...ROLE_NAMES.map((name) => name.replace('operator:', ''))];
  const rows = operatorRoutesOf(document).map(({ name, roles }) => [
    `\`${name}\``,
    ...ROLE_NAMES.map((role) => (roles.includes(role) ? '✓' : '')),
  ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}
