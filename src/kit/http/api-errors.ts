import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { ErrorCode } from './error-code.js';

const DOCUMENTED = Symbol('documented error codes');

/**
 * Describes in the OpenAPI document with which errors a route answers. Each code stands under its status; those of one
 * status are described together, in the order given.
 */
export function ApiErrors(...errors: readonly ErrorCode[]): ClassDecorator & MethodDecorator {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const error of errors) byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error]);
  return applyDecorators(
    SetMetadata(DOCUMENTED, errors),
    ...[...byStatus].map(([status, ofStatus]) => ApiResponse({ status, description: describe(ofStatus) })),
  );
}

/** The codes that a handler or controller documents. */
export function documentedCodesOf(target: object): readonly ErrorCode[] {
  return (Reflect.getMetadata(DOCUMENTED, target) as readonly ErrorCode[] | undefined) ?? [];
}

/** Codes alone are separated by commas; next to a code with a meaning stands a semicolon. */
function describe(errors: readonly ErrorCode[]): string {
  return errors
    .map(({ code, meaning }, place) => {
      const next = errors[place + 1];
      if (next === undefined) return meaning === undefined ? `\`${code}\`` : `\`${code}\`: ${meaning}`;
      if (meaning !== undefined) return `\`${code}\`: ${meaning.replace(/\.$/, '')}; `;
      return `\`${code}\`${next.meaning === undefined ? ', ' : '; '}`;
    })
    .join('');
}
