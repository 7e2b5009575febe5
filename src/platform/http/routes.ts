import type { Application } from 'express';

/** The part of Express 5's router that a look-up by path needs; its types do not show it. */
interface RouteLayer {
  readonly route?: { readonly path: unknown; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Routes by the first segment of their paths, since there are hundreds; `null` has those whose first one varies. */
type RouteIndex = ReadonlyMap<string | null, readonly RouteLayer[]>;

const PLAIN_FIRST_SEGMENT = /^\/([\w.-]+)(?=\/|$)/;

const indexes = new WeakMap<Application, { readonly size: number; readonly index: RouteIndex }>();

/** The methods that some route of the app takes on this path; none where no route has it. */
export function allowedMethods(app: Application, path: string): string[] {
  const index = indexOf(app);
  const first = PLAIN_FIRST_SEGMENT.exec(path)?.[1]?.toLowerCase();
  const candidates = [...(index.get(null) ?? []), ...((first && index.get(first)) || [])];
  const methods = new Set<string>();
  for (const layer of candidates) {
    if (!layer.match(path)) continue;
    for (const method of Object.keys(layer.route!.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/** The operation id of a handler, as the document and the audit log have it, such as `Orders_place`. */
export function operationIdOf(controller: string, method: string): string {
  return `${controller.replace(/Controller$/, '')}_${method}`;
}

/** Made anew where routes were added since. */
function indexOf(app: Application): RouteIndex {
  const { stack } = app.router as unknown as { stack: readonly RouteLayer[] };
  const known = indexes.get(app);
  if (known?.size === stack.length) return known.index;
  const index = new Map<string | null, RouteLayer[]>();
  for (const layer of stack) {
    if (layer.route === undefined) continue;
    const first = firstSegmentOf(layer.route.path);
    index.set(first, [...(index.get(first) ?? []), layer]);
  }
  indexes.set(app, { size: stack.length, index });
  return index;
}

/** Express does not mind the case of a path, and neither does the index. */
function firstSegmentOf(template: unknown): string | null {
  if (typeof template !== 'string') return null;
  return PLAIN_FIRST_SEGMENT.exec(template)?.[1]?.toLowerCase() ?? null;
}
