import { Injectable, RequestMethod, type OnModuleInit } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { StartRefusal } from '../config/start-refusal.js';
import { credentialPolicyOf } from './credentials.js';

/** A handler of an HTTP route, as its decorators declare it. */
export interface DeclaredRoute {
  readonly controller: object;
  readonly handler: object;
  /** For people, such as `GET MarketsController.list`. */
  readonly name: string;
}

/** Keeps the service from starting while some route does not say what it takes to call it. */
@Injectable()
export class CredentialCheck implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    const undeclared = this.routes().filter(
      ({ controller, handler }) => credentialPolicyOf(controller, handler) === undefined,
    );
    if (undeclared.length === 0) return;
    const names = undeclared.map((route) => route.name).join(', ');
    throw new StartRefusal(`Routes without @Public, @Authenticated or @RequireScopes: ${names}.`);
  }

  routes(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((methodName) => {
        const handler = prototype[methodName] as object;
        if (Reflect.getMetadata(PATH_METADATA, handler) === undefined) return [];
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
        return [{ controller: metatype, handler, name: `${method} ${metatype.name}.${methodName}` }];
      });
    });
  }
}
