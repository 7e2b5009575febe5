import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A handler of an HTTP route, as its decorators declare it. */
export interface DeclaredRoute {
  readonly controller: object;
  readonly handler: { readonly name: string };
  /** For people, such as `GET MarketsController.list`. */
  readonly name: string;
}

/** Every route of every module, plugins' included: what checks at start walk over. */
@Injectable()
export class DeclaredRoutes {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  all(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, DeclaredRoute['handler']>;
      return this.scanner.getAllMethodNames(prototype).flatMap((methodName) => {
        const handler = prototype[methodName];
        if (!handler || Reflect.getMetadata(PATH_METADATA, handler) === undefined) return [];
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
        return [{ controller: metatype, handler, name: `${method} ${metatype.name}.${methodName}` }];
      });
    });
  }
}
