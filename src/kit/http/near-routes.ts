import { Injectable } from '@nestjs/common';
import { jaroWinkler } from '@skyra/jaro-winkler';
import { DeclaredRoutes } from './declared-routes.js';

/** From 0 to 1: `/order/1` is as near to `/orders/{order_id}`, and `/health` is not to `/help`. */
const NEARNESS_MIN = 0.9;
const ROUTES_MAX = 3;
/** What is longer is no misspelt path of ours. */
const PATH_LENGTH_MAX = 200;

/** What hides a handler or a controller from the document of the API. */
const HIDDEN = ['swagger/apiExcludeEndpoint', 'swagger/apiExcludeController'];

interface Template {
  /** Such as `GET /orders/{order_id}`. */
  readonly name: string;
  readonly method: string;
  readonly segments: readonly string[];
}

/** Finds the documented routes that somebody may have meant who asked for one that there is not. */
@Injectable()
export class NearRoutes {
  private templates: readonly Template[] | undefined;

  constructor(private readonly routes: DeclaredRoutes) {}

  /** The nearest first; of two as near the one with the same method. */
  of(method: string, path: string): string[] {
    if (path.length > PATH_LENGTH_MAX) return [];
    const segments = segmentsOf(path.toLowerCase());
    return (this.templates ??= this.read())
      .map((template) => ({ template, nearness: nearnessOf(template, segments) }))
      .filter(({ nearness }) => nearness >= NEARNESS_MIN)
      .sort(
        (a, b) =>
          b.nearness - a.nearness ||
          Number(b.template.method === method) - Number(a.template.method === method),
      )
      .slice(0, ROUTES_MAX)
      .map(({ template }) => template.name);
  }

  private read(): Template[] {
    return this.routes.all().flatMap(({ controller, handler, method, paths }) => {
      if (HIDDEN.some((key) => [controller, handler].some((each) => Reflect.hasMetadata(key, each))))
        return [];
      return paths.map((path) => ({
        name: `${method} ${path.replaceAll(/[:*](\w+)/g, '{$1}')}`,
        method,
        segments: segmentsOf(path),
      }));
    });
  }
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Whatever stands in the place of a parameter may be one. */
function nearnessOf({ segments: template }: Template, asked: readonly string[]): number {
  if (template.length !== asked.length) return 0;
  const filled = template.map((segment, at) => (/^[:*]/.test(segment) ? asked[at]! : segment.toLowerCase()));
  return jaroWinkler(filled.join('/'), asked.join('/'));
}
