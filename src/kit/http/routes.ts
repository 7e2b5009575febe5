import type { Application } from 'express';

/** The part of Express 5's router for matching a path; its types omit it. */
interface RouteLayer {
  /** None for middleware. */
  readonly route?: { readonly path: unknown; readonly methods: Readonly<Record<string, boolean>> };
  /** The registered path, for middleware too. */
  readonly rawPath: unknown;
  match: (path: string) => unknown;
}

/** Routes by the first path segment, since there are hundreds; `null` has those whose first segment is a parameter. */
type RouteIndex = ReadonlyMap<string | null, readonly RouteLayer[]>;

const PLAIN_FIRST_SEGMENT = /^\/([\w.-]+)(?=\/|$)/;

const indexes = new WeakMap<Application, { readonly size: number; readonly index: RouteIndex }>();

/** The methods of all routes that match this path; empty if none does. */
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

/**
 * Makes the router skip routes that cannot match by the first two letters of the path. The router tests all routes in
 * order, and with hundreds of routes the failing regular expressions cost more than many a handler. Call it when all
 * routes are registered.
 */
export function passOverUnlikeRoutes(app: Application): void {
  for (const layer of stackOf(app)) {
    const segment = firstSegmentOf(layer.rawPath);
    if (segment === null) continue;
    const first = foldedCodeAt(segment, 0);
    const second = segment.length > 1 ? foldedCodeAt(segment, 1) : undefined;
    const match = layer.match.bind(layer);
    layer.match = (path) =>
      foldedCodeAt(path, 1) === first &&
      (second === undefined || foldedCodeAt(path, 2) === second) &&
      match(path);
  }
}

/** Folds a letter's case, which routes ignore. */
function foldedCodeAt(text: string, at: number): number {
  return text.charCodeAt(at) | 0x20;
}

/** Rebuilt if routes were added since. */
function indexOf(app: Application): RouteIndex {
  const stack = stackOf(app);
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

function stackOf(app: Application): readonly RouteLayer[] {
  return (app.router as unknown as { readonly stack: readonly RouteLayer[] }).stack;
}

/** Express ignores the case of a path, and so does the index. */
function firstSegmentOf(template: unknown): string | null {
  if (typeof template !== 'string') return null;
  return PLAIN_FIRST_SEGMENT.exec(template)?.[1]?.toLowerCase() ?? null;
}
