/** The SQL for whether a row of `users` holds the role that a scope is. `admin` means all of them. */
export function holdsRoleIn(users: string, scope: string): string {
  return `(${users}.is_operator OR ${scope} = ANY(${users}.operator_roles))`;
}
