import type { Application } from 'express';

/** The part of Express 5's router that a look-up by path needs; its types do not show it. */
interface RouteLayer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** The methods that some route of the app takes on this path; none where no route has it. */
export function allowedMethods(app: Application, path: string): string[] {
  const methods = new Set<string>();
  for (const layer of (app.router as unknown as { stack: readonly RouteLayer[] }).stack) {
    if (!layer.route || !layer.match(path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/** The operation id of a handler, as the document and the audit log have it, such as `Orders_place`. */
export function operationIdOf(controller: string, method: string): string {
  return `${controller.replace(/Controller$/, '')}_${method}`;
}
