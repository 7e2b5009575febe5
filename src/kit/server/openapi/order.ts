import type { OpenAPIObject } from '@nestjs/swagger';
import { isAdminPath, METHODS, type PathItem } from './operations.js';

/** What only operators may do stands together, whatever it is about. */
export function tagOperators(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    if (!isAdminPath(path)) continue;
    for (const method of METHODS) if (item[method]) item[method].tags = ['Admin'];
  }
}

/**
 * Puts operations in the order in which readers expect them: by group; in a group by collection, as declared; then
 * `/orders` before `/orders/batch` before `/orders/{order_id}`; and making before reading, changing and deleting.
 */
export function orderOperations(document: OpenAPIObject): void {
  const tags = (document.tags ?? []).map(({ name }) => name);
  const declared = Object.keys(document.paths);
  const keyOf = (path: string, item: PathItem): (number | string)[] => {
    const [tag = ''] = METHODS.flatMap((method) => item[method]?.tags ?? []);
    const collection = collectionOf(path);
    const first = declared.findIndex((each) => collectionOf(each) === collection);
    return [tags.indexOf(tag), first, ...path.split('/')];
  };
  const ordered = Object.entries(document.paths)
    .map(([path, item]) => ({ path, item, key: keyOf(path, item) }))
    .sort((a, b) => compare(a.key, b.key));
  document.paths = Object.fromEntries(ordered.map(({ path, item }) => [path, byMethod(item)]));
}

/** Such as `orders`, and `payouts` for `/admin/payouts/{payout_id}`. */
function collectionOf(path: string): string {
  return path.split('/').find((segment) => segment !== '' && segment !== 'admin') ?? '';
}

function byMethod(item: PathItem): PathItem {
  const methods = METHODS.flatMap((method) => (item[method] ? [[method, item[method]] as const] : []));
  return { ...Object.fromEntries(methods), ...item };
}

/** Letters come before the brace of a parameter, and what is shorter before what is longer. */
function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [at, part] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (part !== other) return part < other ? -1 : 1;
  }
  return a.length - b.length;
}
