import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A handler of an HTTP route, as its decorators declare it. */
export interface DeclaredRoute {
  readonly controller: object;
  readonly handler: { readonly name: string };
  /** Such as `GET`. */
  readonly method: string;
  /** As declared, with a leading slash, such as `/orders/:order_id`. */
  readonly paths: readonly string[];
  /** For messages, such as `GET MarketsController.list`. */
  readonly name: string;
}

/** Lists every route of every module, plugins included, for checks at start. */
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
        const paths = pathsOf(metatype, handler);
        return [
          { controller: metatype, handler, method, paths, name: `${method} ${metatype.name}.${methodName}` },
        ];
      });
    });
  }
}

function pathsOf(controller: object, handler: object): string[] {
  return declaredPaths(controller).flatMap((prefix) =>
    declaredPaths(handler).map((path) => `/${[prefix, path].join('/').split('/').filter(Boolean).join('/')}`),
  );
}

function declaredPaths(target: object): string[] {
  return [(Reflect.getMetadata(PATH_METADATA, target) ?? '') as string | string[]].flat();
}

const PLUGIN = Symbol('plugin of a controller');

/** Notes that a class belongs to a plugin. */
export function markPlugin(type: object, plugin: string): void {
  Reflect.defineMetadata(PLUGIN, plugin, type);
}

/** The name of the plugin that a controller belongs to. */
export function pluginOf(controller: object): string | undefined {
  return Reflect.getOwnMetadata(PLUGIN, controller) as string | undefined;
}
