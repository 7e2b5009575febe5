/** The SQL for whether a user's password alone does not log in: there is an authenticator app, or a passkey. */
export function hasSecondFactor(userId: string): string {
  return `(EXISTS (SELECT FROM totp_factors WHERE totp_factors.user_id = ${userId} AND enrolled_at IS NOT NULL)
           OR EXISTS (SELECT FROM passkeys WHERE passkeys.user_id = ${userId}))`;
}
