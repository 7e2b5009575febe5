import { SetMetadata, applyDecorators, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/internal';
import { RouteParamtypes } from '@nestjs/common/internal';
import { ApiConsumes } from '@nestjs/swagger';

export const BODY_BYTES_MAX = 100 * 1024;
export const BATCH_BODY_BYTES_MAX = 256 * 1024;
export const UPLOAD_BYTES_MAX = 10 * 1024 * 1024;

export type BodyMediaType =
  | 'application/json'
  | 'application/x-www-form-urlencoded'
  | 'multipart/form-data'
  | 'application/octet-stream';

/** What body a route accepts. */
export interface BodyPolicy {
  /** Any one of these. */
  readonly mediaTypes: readonly [BodyMediaType, ...BodyMediaType[]];
  /** The limit of the body; of the file in a multipart body. */
  readonly bytesMax: number;
  /** Whether it is an upload: only a bounded number may be in memory at once. */
  readonly isUpload: boolean;
}

const BODY_POLICY = Symbol('body policy');
/** Nest's key of a handler's parameter: its kind and index, such as `3:0`. */
const BODY_PARAMETER_PREFIX = `${RouteParamtypes.BODY}:`;
const JSON_BODY: BodyPolicy = {
  mediaTypes: ['application/json'],
  bytesMax: BODY_BYTES_MAX,
  isUpload: false,
};
const FORM_BODY: BodyPolicy = {
  mediaTypes: ['application/x-www-form-urlencoded'],
  bytesMax: BODY_BYTES_MAX,
  isUpload: false,
};
const UPLOAD_BODY: BodyPolicy = {
  mediaTypes: ['multipart/form-data', 'application/octet-stream'],
  bytesMax: UPLOAD_BYTES_MAX,
  isUpload: true,
};

/** The route takes a form instead of JSON. */
export function FormBody(): MethodDecorator {
  return applyDecorators(SetMetadata(BODY_POLICY, FORM_BODY), ApiConsumes(...FORM_BODY.mediaTypes));
}

/** The route takes many items at once: JSON of up to 256 KB. */
export function BatchBody(): MethodDecorator {
  return SetMetadata(BODY_POLICY, { ...JSON_BODY, bytesMax: BATCH_BODY_BYTES_MAX } satisfies BodyPolicy);
}

/**
 * The route takes one file of up to 10 MB: in a multipart form, where the DTO has it under its part's name as a Buffer,
 * beside the form's texts; or as the body itself, where the DTO has it as `file`. The client's file name and media type
 * are dropped, since they cannot be trusted.
 */
export function UploadBody(): MethodDecorator {
  return applyDecorators(SetMetadata(BODY_POLICY, UPLOAD_BODY), ApiConsumes(...UPLOAD_BODY.mediaTypes));
}

/** The policy of a handler that reads a body (it has a `@Body()` parameter); `undefined` for all others. */
export function bodyPolicyOf(controller: object, handler: { readonly name: string }): BodyPolicy | undefined {
  if (Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET) return undefined;
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
  const readsBody = Object.keys(parameters).some((key) => key.startsWith(BODY_PARAMETER_PREFIX));
  if (!readsBody) return undefined;
  return (Reflect.getMetadata(BODY_POLICY, handler) as BodyPolicy | undefined) ?? JSON_BODY;
}
