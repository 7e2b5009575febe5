import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from './errors.js';

/** A code alone, or with its meaning for the route: `conflict: the id is taken.` */
export type DocumentedError = ErrorCode | `${ErrorCode}: ${string}`;

/**
 * Describes in the OpenAPI document with which errors a route answers. Each code stands under its status of
 * `ERROR_STATUS`; those of one status are described together, in the order given.
 */
export function ApiErrors(...errors: readonly DocumentedError[]): ClassDecorator & MethodDecorator {
  const byStatus = new Map<number, SplitError[]>();
  for (const error of errors.map(split)) {
    const status = ERROR_STATUS[error.code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), error]);
  }
  return applyDecorators(
    ...[...byStatus].map(([status, ofStatus]) => ApiResponse({ status, description: describe(ofStatus) })),
  );
}

interface SplitError {
  readonly code: ErrorCode;
  readonly meaning: string | undefined;
}

function split(error: DocumentedError): SplitError {
  const colon = error.indexOf(': ');
  if (colon < 0) return { code: error as ErrorCode, meaning: undefined };
  return { code: error.slice(0, colon) as ErrorCode, meaning: error.slice(colon + 2) };
}

/** Codes alone are separated by commas; next to a code with a meaning stands a semicolon. */
function describe(errors: readonly SplitError[]): string {
  return errors
    .map(({ code, meaning }, place) => {
      const next = errors[place + 1];
      if (next === undefined) return meaning === undefined ? `\`${code}\`` : `\`${code}\`: ${meaning}`;
      if (meaning !== undefined) return `\`${code}\`: ${meaning.replace(/\.$/, '')}; `;
      return `\`${code}\`${next.meaning === undefined ? ', ' : '; '}`;
    })
    .join('');
}
