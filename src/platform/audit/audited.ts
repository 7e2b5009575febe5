/** Which routes are audited: what changes anything under `/admin`, and what says so itself. */
import { SetMetadata } from '@nestjs/common';

const AUDITED = Symbol('audited');

const CHANGING_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const OPERATOR_PATH = /^[/]admin(?:[/]|$)/;

export type RouteAudit =
  /** An act of an operator: each call that succeeds has a row, and each that is refused. */
  | 'operator'
  /** It changes a credential: each call that succeeds has a row. */
  | 'always'
  /** Some of its calls change a credential, or are an operator's act. */
  | 'sometimes'
  | 'never';

/**
 * Marks a route whose acts are recorded: its handler records a row for each, in the act's transaction. With
 * `sometimes: true` a call may succeed without one, such as a change of a user that leaves the password alone.
 * Changing routes under `/admin` are audited without it.
 */
export function Audited(options: { sometimes?: boolean } = {}): MethodDecorator {
  return SetMetadata(AUDITED, (options.sometimes === true ? 'sometimes' : 'always') satisfies RouteAudit);
}

/** Marks a route under `/admin` that changes nothing, though its method could, such as a preview. */
export function ChangesNothing(): MethodDecorator {
  return SetMetadata(AUDITED, 'never' satisfies RouteAudit);
}

export function auditOf(method: string, path: string, handler: object): RouteAudit {
  const declared = Reflect.getMetadata(AUDITED, handler) as RouteAudit | undefined;
  if (declared !== undefined) return declared;
  return CHANGING_METHODS.has(method) && OPERATOR_PATH.test(path) ? 'operator' : 'never';
}
