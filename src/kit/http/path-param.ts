import { Param, type PipeTransform, type Type } from '@nestjs/common';
import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';
import { documented } from './documenting-route.js';

/** What the OpenAPI document says of a parameter of the path, beside its name. */
export type PathParamDocumentation = ApiParamOptions extends infer Options
  ? Options extends unknown
    ? Omit<Options, 'name'>
    : never
  : never;

/** Hands a parameter of the path to a handler, read by `pipe` where there is one, and documents it on its route. */
export function PathParam(
  name: string,
  documentation: PathParamDocumentation,
  pipe?: Type<PipeTransform>,
): ParameterDecorator {
  const read = pipe === undefined ? Param(name) : Param(name, pipe);
  return documented(read, ApiParam({ name, ...documentation }));
}
