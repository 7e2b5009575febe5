import type { OpenAPIObject } from '@nestjs/swagger';
import { isAdminPath, METHODS, type Operation, type PathItem } from './operations.js';
import { nodesWithin } from './schemas.js';

/** For whom an operation is: everybody, customers, or operators. Each is for one of them. */
export const AUDIENCES = ['public', 'trading', 'operator'] as const;

export type Audience = (typeof AUDIENCES)[number];

/** What tells the audience of an operation that its credentials do not tell. */
export interface AudienceTerms {
  /** The roles of operators, by the names of their scopes. */
  readonly roles: readonly string[];
  /** The tags of groups that are samples, open to all whatever credentials they take. */
  readonly sampleTags: readonly string[];
}

export function audienceOf(path: string, operation: Operation, terms: AudienceTerms): Audience {
  const { security = [], tags = [] } = operation;
  if (isAdminPath(path)) return 'operator';
  const needsNone = security.length === 0 || security.some((each) => Object.keys(each).length === 0);
  if (needsNone || tags.some((tag) => terms.sampleTags.includes(tag))) return 'public';
  const isForOperators = (each: Readonly<Record<string, readonly string[]>>): boolean =>
    Object.values(each)
      .flat()
      .some((scope) => terms.roles.includes(scope));
  return security.every(isForOperators) ? 'operator' : 'trading';
}

/** The part of a document that is for some audiences, with the components that it uses. Events are for customers. */
export function documentFor(
  document: OpenAPIObject,
  audiences: readonly Audience[],
  terms: AudienceTerms,
): OpenAPIObject {
  const { webhooks, components = {}, ...others } = document;
  const paths = Object.entries(document.paths).flatMap(([path, item]) => {
    const part = partOf(item, (operation) => audiences.includes(audienceOf(path, operation, terms)));
    return part === undefined ? [] : [[path, part] as const];
  });
  const part: OpenAPIObject = {
    ...others,
    paths: Object.fromEntries(paths),
    ...(audiences.includes('trading') && webhooks !== undefined && { webhooks }),
    components,
  };
  return withUsedTags(withUsedComponents(part));
}

function partOf(item: PathItem, isWanted: (operation: Operation) => boolean): PathItem | undefined {
  const left = METHODS.filter((method) => item[method] && isWanted(item[method]));
  if (left.length === 0) return undefined;
  const removed: readonly string[] = METHODS.filter((method) => !left.includes(method));
  return Object.fromEntries(Object.entries(item).filter(([key]) => !removed.includes(key)));
}

function withUsedComponents(document: OpenAPIObject): OpenAPIObject {
  const { paths, webhooks, components = {} } = document;
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    for (const { $ref: reference } of nodesWithin(value)) {
      if (typeof reference !== 'string' || used.has(reference)) continue;
      used.add(reference);
      const [, , kind = '', name = ''] = reference.split('/');
      follow((components as Record<string, Record<string, unknown>>)[kind]?.[name]);
    }
  };
  follow([paths, webhooks]);
  for (const { security } of operationsIn(document)) {
    for (const scheme of (security ?? []).flatMap(Object.keys))
      used.add(`#/components/securitySchemes/${scheme}`);
  }
  const left = Object.entries(components).map(([kind, all]) => [
    kind,
    Object.fromEntries(
      Object.entries((all ?? {}) as Record<string, unknown>).filter(([name]) =>
        used.has(`#/components/${kind}/${name}`),
      ),
    ),
  ]);
  return { ...document, components: Object.fromEntries(left) as NonNullable<OpenAPIObject['components']> };
}

function withUsedTags(document: OpenAPIObject): OpenAPIObject {
  const used = new Set(operationsIn(document).flatMap(({ tags = [] }) => tags));
  return { ...document, tags: (document.tags ?? []).filter(({ name }) => used.has(name)) };
}

function operationsIn({ paths, webhooks = {} }: OpenAPIObject): Operation[] {
  return [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
    METHODS.flatMap((method) => item[method] ?? []),
  );
}
