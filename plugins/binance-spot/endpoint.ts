import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import { Public } from '../../src/index.js';
import type { Parameters } from './parameters.js';

/** Who may call: everybody, or who signs by a key, to read or to trade. */
export type Security = 'NONE' | 'USER_DATA' | 'TRADE';

export interface Endpoint {
  readonly summary: string;
  /** What a request takes from the budget of its address. */
  readonly weight: number | ((parameters: Parameters) => number);
  readonly security?: Security;
  readonly mandatory?: readonly string[];
  readonly optional?: readonly string[];
}

/** Those of every signed request. */
export const SIGNED_PARAMETERS = ['timestamp', 'signature'] as const;

/** An endpoint, and all names of its parameters. */
interface NamedEndpoint extends Endpoint {
  readonly names: ReadonlySet<string>;
}

const ENDPOINT = Symbol('endpoint of the dialect');

/**
 * What the dialect's own guard holds a request to: it knows the caller by the dialect's signatures, so to the service's
 * guard the route is public.
 */
export function DialectEndpoint(endpoint: Endpoint): MethodDecorator {
  const query = (required: boolean, names: readonly string[]): MethodDecorator[] =>
    names.map((name) => ApiQuery({ name, required, type: String }));
  const { mandatory = [], optional = [] } = endpoint;
  const signed = isSigned(endpoint) ? [...SIGNED_PARAMETERS, 'recvWindow'] : [];
  const named: NamedEndpoint = { ...endpoint, names: new Set([...mandatory, ...optional, ...signed]) };
  return applyDecorators(
    Public(),
    SetMetadata(ENDPOINT, named),
    ApiOperation({ summary: endpoint.summary }),
    ...query(true, mandatory),
    ...query(false, optional),
    ...(isSigned(endpoint) ? [...query(true, SIGNED_PARAMETERS), ...query(false, ['recvWindow'])] : []),
  );
}

export const ApiObject = (): MethodDecorator => ApiOkResponse({ schema: { type: 'object' } });
export const ApiList = (): MethodDecorator => ApiOkResponse({ schema: { type: 'array', items: {} } });

export function endpointOf(handler: object): NamedEndpoint {
  return Reflect.getMetadata(ENDPOINT, handler) as NamedEndpoint;
}

export function isSigned({ security = 'NONE' }: Endpoint): boolean {
  return security !== 'NONE';
}
