import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DeclaredRoutes, type DeclaredRoute } from '../../http/declared-routes.js';

export type PathItem = OpenAPIObject['paths'][string];
export type Operation = NonNullable<PathItem['get']>;
export type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

/** The methods that a document may have, in the order in which readers expect them. */
export const METHODS = ['post', 'get', 'put', 'patch', 'delete'] as const;

export interface DescribedOperation {
  readonly path: string;
  readonly method: (typeof METHODS)[number];
  readonly operation: Operation;
}

/** An operation of the document with the handler that it describes. */
export interface DescribedRoute extends DescribedOperation {
  readonly controller: object;
  readonly handler: DeclaredRoute['handler'];
}

export function operationsOf(document: OpenAPIObject): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
}

/** Every operation of the document, with its handler: what guards read of a handler, the document says. */
export function describedRoutes(app: INestApplication, document: OpenAPIObject): DescribedRoute[] {
  // Made here, since the service is not instantiated where only its document is wanted.
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  const declared = new Map<string, DeclaredRoute>();
  for (const route of new DeclaredRoutes(discovery, new MetadataScanner()).all()) {
    for (const path of route.paths) declared.set(`${route.method} ${templateOf(path)}`, route);
  }
  return operationsOf(document).map((described) => {
    const { method, path } = described;
    const route = declared.get(`${method.toUpperCase()} ${path}`) ?? declared.get(`ALL ${path}`);
    if (route === undefined)
      throw new Error(`The document has ${method} ${path}, which no handler declares.`);
    return { ...described, controller: route.controller, handler: route.handler };
  });
}

/** Such as `/orders/{order_id}` for `/orders/:order_id`. */
export function templateOf(path: string): string {
  return path.replaceAll(/[:*](\w+)/g, '{$1}');
}

export function isAdminPath(path: string): boolean {
  return path.startsWith('/admin/');
}
