import { pluginOf } from '../../http/declared-routes.js';
import type { ApiTexts } from './api-texts.js';
import { isAdminPath, type DescribedRoute, type Operation } from './operations.js';

/** The first words of handlers that say what is done; all other handlers are called after what they answer. */
const VERBS: ReadonlySet<string> = new Set([
  ...['accept', 'add', 'adjust', 'advance', 'amend', 'approve', 'cancel', 'change', 'check', 'correct'],
  ...[
    'create',
    'decide',
    'deliver',
    'edit',
    'end',
    'find',
    'freeze',
    'get',
    'list',
    'lock',
    'make',
    'mark',
    'open',
  ],
  ...['place', 'poll', 'preview', 'react', 'receive', 'register', 'reject', 'reload', 'remove', 'rename'],
  ...['replace', 'report', 'resend', 'rotate', 'search', 'send', 'sign', 'stream', 'submit', 'test'],
  ...['unfreeze', 'unlock', 'unreact', 'update', 'upload', 'withdraw'],
]);

/** Of a handler that says nothing else: only what reads is called `get` or `list`. */
const VERB_OF_METHOD: Readonly<Record<string, string>> = {
  post: 'create',
  put: 'set',
  patch: 'update',
  delete: 'delete',
};

/** How clients call what handlers call otherwise. */
const SYNONYMS: Readonly<Record<string, string>> = { remove: 'delete' };

/** Words that are the same for one and for many. */
const WITHOUT_PLURAL: ReadonlySet<string> = new Set(['news', 'address']);

/** What a name is made of. */
export interface NamedRoute extends Pick<DescribedRoute, 'controller' | 'handler' | 'path'> {
  readonly method: string;
  readonly answersPage: boolean;
}

/** Names that the rule would give otherwise: by method and path. */
type GivenIds = ApiTexts['operationIds'];

/** Names every operation of the document. Throws where two would have one name. */
export function nameOperations(routes: readonly DescribedRoute[], given: GivenIds): void {
  const named = routes.map((route) => ({ ...route, answersPage: answersPage(route.operation) }));
  const taken = new Set<string>();
  for (const [{ operation, path }, id] of operationIdsOf(named, given)) {
    if (taken.has(id)) throw new Error(`Another operation is called ${id}: rename the handler of ${path}.`);
    taken.add(id);
    operation.operationId = id;
  }
}

/**
 * Names every operation by verb and noun, such as `placeOrder` and `listWalletTransfers`: the verb is that of the
 * handler, and the noun that of the path. Generated clients have methods of these names, so they must not change.
 */
export function operationIdsOf<R extends NamedRoute>(
  routes: readonly R[],
  given: GivenIds,
): ReadonlyMap<R, string> {
  const ids = new Map<R, string>();
  const taken = new Set<string>();
  // Operators’ routes come later: where both list the payouts, theirs is `listAdminPayouts`. Plugins come last.
  for (const turn of [0, 1, 2]) {
    for (const route of routes) {
      if (turnOf(route) !== turn) continue;
      const name = given[`${route.method.toUpperCase()} ${route.path}`];
      const id = name ?? (turn === 2 ? idInPlugin(route, taken) : idOf(route, taken));
      taken.add(id);
      ids.set(route, id);
    }
  }
  return ids;
}

function turnOf({ controller, path }: NamedRoute): number {
  if (pluginOf(controller) !== undefined) return 2;
  return isAdminPath(path) ? 1 : 0;
}

/** Such as `createAcmeLoyaltyNote`; with a number where a plugin has two of a name. */
function idInPlugin(route: NamedRoute, taken: ReadonlySet<string>): string {
  const [, verb = '', noun = ''] = /^([a-z]+)(.*)$/.exec(idOf(route, new Set())) ?? [];
  const plugin = pluginOf(route.controller) ?? '';
  const named = noun.startsWith(pascalCase(singular(plugin))) ? noun : pascalCase(plugin) + noun;
  const id = verb + named;
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? id : `${id}${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

function idOf(
  { path, method, handler, answersPage: isPage }: NamedRoute,
  taken: ReadonlySet<string>,
): string {
  const [first = '', ...rest] = handler.name.split(/(?=[A-Z])/);
  const object = rest.join('');
  const isVerb = VERBS.has(first);
  const isMany = first === 'list' || isPage;
  const verbOfMethod = VERB_OF_METHOD[method.toLowerCase()] ?? (isMany ? 'list' : 'get');
  const verb = isVerb ? (SYNONYMS[first] ?? first) : verbOfMethod;
  const noun = nounOf(path, isVerb ? first : undefined, isMany);
  // `createAsset` says all; `listDeliveries` are those of a webhook, as the path says.
  const named = object === '' || !isVerb || noun.endsWith(object) ? noun : object;
  const id = verb + named;
  return taken.has(id) && isAdminPath(path) ? `${verb}Admin${named}` : id;
}

/** `WalletTransfers` for `/wallets/{wallet_id}/transfers`; a group such as `chat` before its collections is left out. */
function nounOf(path: string, verb: string | undefined, isMany: boolean): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'admin');
  const words = segments.filter((segment) => !segment.startsWith('{'));
  if (words.length > 1 && words.at(-1) === verb) words.pop();
  const isGroup = words.length > 1 && !segments[1]?.startsWith('{');
  return words
    .slice(isGroup ? 1 : 0)
    .map((word, at, all) => pascalCase(isMany && at === all.length - 1 ? word : singular(word)))
    .join('');
}

function singular(word: string): string {
  if (WITHOUT_PLURAL.has(word)) return word;
  return word
    .replace(/ies$/, 'y')
    .replace(/(ss)es$/, '$1')
    .replace(/([^su])s$/, '$1');
}

function answersPage({ responses }: Operation): boolean {
  const success = responses['200'];
  const schema = success && 'content' in success ? success.content?.['application/json']?.schema : undefined;
  return schema !== undefined && '$ref' in schema && schema.$ref.endsWith('Page');
}

function pascalCase(words: string): string {
  return words
    .split(/[-_.]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
