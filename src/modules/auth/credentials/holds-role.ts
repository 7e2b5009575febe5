/**
 * The SQL for whether a row of `users` holds the role that a scope is. `admin` means all of them. Roles that an outside
 * identity gives count where `byIdentity` holds: in what came from a log-in by it.
 */
export function holdsRoleIn(users: string, scope: string, byIdentity: string): string {
  return `(${users}.is_operator OR ${scope} = ANY(${users}.operator_roles)
           OR (${byIdentity}) AND (${scope} = ANY(${users}.identity_roles) OR 'admin' = ANY(${users}.identity_roles)))`;
}
