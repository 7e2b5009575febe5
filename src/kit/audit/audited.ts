/** Which routes are audited: changing routes under `/admin`, and routes marked so. */
import { SetMetadata } from '@nestjs/common';

const AUDITED = Symbol('audited');

const CHANGING_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const OPERATOR_PATH = /^[/]admin(?:[/]|$)/;

export type RouteAudit =
  /** An operator's act: each success and each refusal has a row. */
  | 'operator'
  /** A change of a credential: each success has a row. */
  | 'always'
  /** Some calls change a credential, or are an operator's act. */
  | 'sometimes'
  | 'never';

/**
 * Marks an audited route: its handler records a row for each act, in the act's transaction. With `sometimes: true` a
 * call may succeed without a row, such as a change of a user that keeps the password. Changing routes under `/admin`
 * are audited without it.
 */
export function Audited(options: { sometimes?: boolean } = {}): MethodDecorator {
  return SetMetadata(AUDITED, (options.sometimes === true ? 'sometimes' : 'always') satisfies RouteAudit);
}

/** Marks a route under `/admin` that changes nothing despite its method, such as a preview. */
export function ChangesNothing(): MethodDecorator {
  return SetMetadata(AUDITED, 'never' satisfies RouteAudit);
}

export function auditOf(method: string, path: string, handler: object): RouteAudit {
  const declared = Reflect.getMetadata(AUDITED, handler) as RouteAudit | undefined;
  if (declared !== undefined) return declared;
  return CHANGING_METHODS.has(method) && OPERATOR_PATH.test(path) ? 'operator' : 'never';
}
