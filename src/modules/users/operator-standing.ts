import { ADMIN } from '../../kit/security/scope.js';
import type { UserEntity } from './user.entity.js';

/** What a user may do as an operator. */
export type OperatorStanding = Pick<UserEntity, 'isOperator' | 'operatorRoles'>;

/** Of whoever is none. */
export const NO_OPERATOR: OperatorStanding = { isOperator: false, operatorRoles: [] };

/** Whether the user is an operator in whatever role. */
export function isAnyOperator({ isOperator, operatorRoles }: OperatorStanding): boolean {
  return isOperator || operatorRoles.length > 0;
}

/** Whether the user holds the role that a scope is. `admin` means all of them. */
export function holdsRole({ isOperator, operatorRoles }: OperatorStanding, scope: string): boolean {
  return isOperator || operatorRoles.includes(scope);
}

/** As `PUT /admin/users/{username}/roles` takes them. */
export function rolesOf({ isOperator, operatorRoles }: OperatorStanding): string[] {
  return isOperator ? [ADMIN.name, ...operatorRoles] : [...operatorRoles];
}
