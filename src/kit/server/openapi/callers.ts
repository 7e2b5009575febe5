import type { ScopeCatalogue } from '../../security/scope.js';
import { credentialPolicyOf } from '../../security/credential-policy.js';
import { isAdminPath, type DescribedRoute, type Operation } from './operations.js';

/** Says first for whom an operation is, where a customer's credential does not do, and that a stream is one. */
export function describeCallers(
  { controller, handler, path, operation }: DescribedRoute,
  { roles }: ScopeCatalogue,
): void {
  const policy = credentialPolicyOf(controller, handler);
  const lines: string[] = [];
  if (policy?.access === 'authenticated' && policy.callers === 'logged_in_users') {
    lines.push(`For users who are logged in${policy.operators === undefined ? '' : ', and operators'}.`);
  } else if (isAdminPath(path) || isForOperators(operation, roles)) lines.push('For operators.');
  if (isStream(operation)) lines.push('A stream: its answer does not end by itself.');
  if (lines.length === 0) return;
  operation.description = [lines.join(' '), operation.description].filter(Boolean).join('\n\n');
}

function isForOperators({ security = [] }: Operation, roles: readonly string[]): boolean {
  const scopes = security.map((alternative) => Object.values(alternative).flat());
  return scopes.length > 0 && scopes.every((each) => each.some((scope) => roles.includes(scope)));
}

function isStream({ responses }: Operation): boolean {
  const success = responses['200'];
  return success !== undefined && 'content' in success && 'text/event-stream' in (success.content ?? {});
}
