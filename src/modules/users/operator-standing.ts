import { ADMIN } from '../../kit/security/scope.js';
import type { UserEntity } from './user.entity.js';

/** What a user may do as an operator. */
export type OperatorStanding = Pick<UserEntity, 'isOperator' | 'operatorRoles' | 'identityRoles'>;

/** Of whoever is none. */
export const NO_OPERATOR: OperatorStanding = { isOperator: false, operatorRoles: [], identityRoles: [] };

/** Whether the user is an operator in whatever role. */
export function isAnyOperator({ isOperator, operatorRoles, identityRoles }: OperatorStanding): boolean {
  return isOperator || operatorRoles.length > 0 || identityRoles.length > 0;
}

/** Whether the user holds the role that a scope is. `admin` means all of them. */
export function holdsRole(user: OperatorStanding, scope: string): boolean {
  const roles = rolesOf(user);
  return roles.includes(ADMIN.name) || roles.includes(scope);
}

/** As `PUT /admin/users/{username}/roles` takes them, whoever gave them. */
export function rolesOf({ isOperator, operatorRoles, identityRoles }: OperatorStanding): string[] {
  return [...new Set([...(isOperator ? [ADMIN.name] : []), ...operatorRoles, ...identityRoles])];
}
