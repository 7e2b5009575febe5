import { SetMetadata, applyDecorators, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/internal';
import { RouteParamtypes } from '@nestjs/common/internal';
import { ApiConsumes } from '@nestjs/swagger';

export const BODY_BYTES_MAX = 100 * 1024;
export const BATCH_BODY_BYTES_MAX = 256 * 1024;

/** What a route's body may be. */
export interface BodyPolicy {
  readonly mediaType: 'application/json' | 'application/x-www-form-urlencoded';
  readonly bytesMax: number;
}

const BODY_POLICY = Symbol('body policy');
/** Nest keys a handler's parameters by kind and place, such as `3:0`. */
const BODY_PARAMETER_PREFIX = `${RouteParamtypes.BODY}:`;
const JSON_BODY: BodyPolicy = { mediaType: 'application/json', bytesMax: BODY_BYTES_MAX };

/** The route takes a form instead of JSON. */
export function FormBody(): MethodDecorator {
  const policy: BodyPolicy = { mediaType: 'application/x-www-form-urlencoded', bytesMax: BODY_BYTES_MAX };
  return applyDecorators(SetMetadata(BODY_POLICY, policy), ApiConsumes(policy.mediaType));
}

/** The route takes many items at once: JSON of up to 256 KB. */
export function BatchBody(): MethodDecorator {
  return SetMetadata(BODY_POLICY, { ...JSON_BODY, bytesMax: BATCH_BODY_BYTES_MAX } satisfies BodyPolicy);
}

/** The policy of a handler that reads a body (it has a `@Body()` parameter); `undefined` for all others. */
export function bodyPolicyOf(controller: object, handler: { readonly name: string }): BodyPolicy | undefined {
  if (Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET) return undefined;
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
  const readsBody = Object.keys(parameters).some((key) => key.startsWith(BODY_PARAMETER_PREFIX));
  if (!readsBody) return undefined;
  return (Reflect.getMetadata(BODY_POLICY, handler) as BodyPolicy | undefined) ?? JSON_BODY;
}
