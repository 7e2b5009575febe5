import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from './errors.js';
import { PluginErrorCode } from './plugin-error-code.js';

/** A code alone, or with its meaning for the route: `conflict: the id is taken.`; or one of a plugin. */
export type DocumentedError = ErrorCode | `${ErrorCode}: ${string}` | PluginErrorCode;

const PLUGIN_CODES = Symbol('error codes of plugins');

/**
 * Describes in the OpenAPI document with which errors a route answers. Each code stands under its status, of
 * `ERROR_STATUS` or its own; those of one status are described together, in the order given.
 */
export function ApiErrors(...errors: readonly DocumentedError[]): ClassDecorator & MethodDecorator {
  const byStatus = new Map<number, SplitError[]>();
  for (const error of errors.map(split)) {
    const { status } = error;
    byStatus.set(status, [...(byStatus.get(status) ?? []), error]);
  }
  return applyDecorators(
    SetMetadata(
      PLUGIN_CODES,
      errors.filter((error) => error instanceof PluginErrorCode),
    ),
    ...[...byStatus].map(([status, ofStatus]) => ApiResponse({ status, description: describe(ofStatus) })),
  );
}

/** The codes of plugins that a handler or controller documents. */
export function pluginCodesOf(target: object): readonly PluginErrorCode[] {
  return (Reflect.getMetadata(PLUGIN_CODES, target) as readonly PluginErrorCode[] | undefined) ?? [];
}

interface SplitError {
  readonly code: string;
  readonly status: number;
  readonly meaning: string | undefined;
}

function split(error: DocumentedError): SplitError {
  if (error instanceof PluginErrorCode) return { ...error, meaning: error.meaning };
  const [code = '', ...meaning] = error.split(': ');
  return {
    code,
    status: ERROR_STATUS[code as ErrorCode],
    meaning: meaning.length === 0 ? undefined : meaning.join(': '),
  };
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
