import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { StartRefusal } from '../../config/start-refusal.js';
import { bodyPolicyOf } from '../body-policy.js';
import { DeclaredRoutes, type DeclaredRoute } from '../declared-routes.js';
import { isValidatedType } from './compiled-validation.pipe.js';

interface ParameterMetadata {
  readonly index: number;
  readonly pipes: readonly unknown[];
}

/** Nest's key of a handler's parameter: its kind and index, such as `3:0`. */
const CHECKED_PREFIXES = [`${RouteParamtypes.BODY}:`, `${RouteParamtypes.QUERY}:`];

/**
 * Refuses to start while some `@Body()` or `@Query()` is not validated: its type is not a class with rules, as after
 * `import type` of a DTO, and it has no pipe of its own. Forms are exempt: OAuth's are checked by the rules of their
 * RFCs, and forms contain only text.
 */
@Injectable()
export class ValidationCheck implements OnModuleInit {
  constructor(private readonly routes: DeclaredRoutes) {}

  onModuleInit(): void {
    const open = this.routes.all().filter(takesAnything);
    if (open.length === 0) return;
    const names = open.map((route) => route.name).join(', ');
    throw new StartRefusal(`Routes that take a body or query without a DTO class to check it by: ${names}.`);
  }
}

function takesAnything({ controller, handler }: DeclaredRoute): boolean {
  const mediaTypes = bodyPolicyOf(controller, handler)?.mediaTypes;
  if (mediaTypes?.includes('application/x-www-form-urlencoded')) return false;
  const { prototype } = controller as { prototype: object };
  const types = (Reflect.getMetadata('design:paramtypes', prototype, handler.name) ?? []) as unknown[];
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as Record<
    string,
    ParameterMetadata
  >;
  return Object.entries(parameters).some(
    ([key, { index, pipes }]) =>
      CHECKED_PREFIXES.some((prefix) => key.startsWith(prefix)) &&
      pipes.length === 0 &&
      !isValidatedType(types[index]),
  );
}
