import { Injectable, Logger, type Type } from '@nestjs/common';
import type { Awaitable } from '../awaitable.js';
import type { ErrorCode } from '../http/error-code.js';
import { TEMPORARILY_UNAVAILABLE } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { CompiledValidationPipe } from '../http/validation/compiled-validation.pipe.js';
import { Boundary } from '../tracing/boundary.js';
import type { Filter, FilterKind, Filtered, FilterVerdict } from './filter.js';

const ANSWER_MS_MAX = 2_000;

/** What filters may change of each kind. */
const TEXTS: { readonly [Kind in FilterKind]: readonly (keyof Filtered[Kind]['text'])[] } = {
  messages: ['text'],
  rooms: ['name'],
  posts: ['title', 'markdown', 'slug', 'category', 'tags', 'author', 'custom_excerpt'],
  news: ['headline', 'summary', 'content', 'author', 'source', 'category'],
  profiles: ['firstName', 'lastName', 'email', 'phone'],
};

export const FILTER_KINDS = Object.keys(TEXTS) as readonly FilterKind[];

interface OwnedFilter {
  readonly plugin: string;
  /** Those that it may refuse with. */
  readonly codes: readonly ErrorCode[];
  readonly filter: Filter;
}

type Judge = (what: object) => unknown;
type Texts = Readonly<Record<string, unknown>>;

const calls = new Boundary();

/** The filters of all plugins. */
@Injectable()
export class Filters {
  private readonly logger = new Logger(Filters.name);
  private readonly rules = new CompiledValidationPipe();
  private readonly byKind = new Map<FilterKind, OwnedFilter[]>();

  add(owned: OwnedFilter): void {
    for (const kind of FILTER_KINDS) {
      if (owned.filter[kind] === undefined) continue;
      this.byKind.set(kind, [...(this.byKind.get(kind) ?? []), owned]);
    }
  }

  /**
   * The body as filters leave it, which is valid again. To be asked outside of transactions. Throws the refusal of a
   * filter, `validation_failed` (400) where what it has changed is beyond the limits, and `temporarily_unavailable` (503).
   */
  pass<Kind extends FilterKind, Body extends object>(
    kind: Kind,
    body: Body,
    facts: Filtered[Kind]['facts'],
    type: Type<Body>,
  ): Awaitable<Body> {
    return this.byKind.has(kind) ? this.passed(kind, body, facts, type) : body;
  }

  /** What filters have changed of a text; undefined where they have changed nothing. Throws as `pass`, but for the limits. */
  changes<Kind extends FilterKind>(
    kind: Kind,
    text: Filtered[Kind]['text'],
    facts: Filtered[Kind]['facts'],
  ): Awaitable<Partial<Filtered[Kind]['text']> | undefined> {
    return this.byKind.has(kind) ? this.changesOf(kind, text, facts) : undefined;
  }

  private async passed<Kind extends FilterKind, Body extends object>(
    kind: Kind,
    body: Body,
    facts: Filtered[Kind]['facts'],
    type: Type<Body>,
  ): Promise<Body> {
    const changes = await this.changesOf(kind, body, facts);
    if (changes === undefined) return body;
    // Fields of plugins are valid already, and no filter changes them.
    const { fields, ...texts } = { ...body, ...changes } as Body & { readonly fields?: unknown };
    const valid = (await this.rules.transform(texts, { type: 'body', metatype: type })) as Body;
    return fields === undefined ? valid : Object.assign(valid, { fields });
  }

  private async changesOf<Kind extends FilterKind>(
    kind: Kind,
    text: Filtered[Kind]['text'],
    facts: Filtered[Kind]['facts'],
  ): Promise<Partial<Filtered[Kind]['text']> | undefined> {
    let texts = textsOf(kind, text as Texts);
    const changes: Record<string, unknown> = {};
    for (const owned of this.byKind.get(kind)!) {
      const verdict = await this.verdictOf(owned, kind, { ...texts, ...facts });
      if (!verdict.accepted) throw refusalOf(owned, verdict);
      const changed = textsOf(kind, verdict);
      Object.assign(changes, changed);
      texts = { ...texts, ...changed };
    }
    return Object.keys(changes).length === 0 ? undefined : changes;
  }

  /** Throws `temporarily_unavailable` (503) for a filter that gives none. */
  private async verdictOf(owned: OwnedFilter, kind: FilterKind, what: object): Promise<FilterVerdict<Texts>> {
    const { plugin, filter } = owned;
    const judge = (filter[kind] as Judge).bind(filter);
    try {
      const verdict = await calls.run(`filter ${kind}`, async () => inTime(judge(Object.freeze(what))));
      requireVerdict(verdict, kind, owned);
      return verdict;
    } catch (error) {
      this.logger.error({
        err: error,
        plugin,
        filter: filter.constructor.name,
        kind,
        msg: 'a filter does not work; nothing was stored',
      });
      throw new ApiError(TEMPORARILY_UNAVAILABLE, `A filter of ${kind} does not work now; try again later.`, {
        headers: { 'Retry-After': '1' },
      });
    }
  }
}

/** Those that are there, in the order of `TEXTS`. */
function textsOf(kind: FilterKind, from: Texts): Texts {
  const names = TEXTS[kind] as readonly string[];
  return Object.fromEntries(names.filter((name) => from[name] != null).map((name) => [name, from[name]]));
}

async function inTime(answer: unknown): Promise<unknown> {
  if (!(answer instanceof Promise)) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ANSWER_MS_MAX} ms`)), ANSWER_MS_MAX);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function requireVerdict(
  verdict: unknown,
  kind: FilterKind,
  { codes }: OwnedFilter,
): asserts verdict is FilterVerdict<Texts> {
  if (typeof verdict !== 'object' || verdict === null) throw new TypeError('it answers no verdict');
  const { accepted, ...rest } = verdict as Record<string, unknown>;
  if (accepted === false) {
    const { code, message } = rest;
    if (!codes.some((known) => known.code === code))
      throw new TypeError(`it refuses with ${String(code)}; list the code in "errorCodes" of its plugin`);
    if (typeof message !== 'string' || message === '') throw new TypeError('it refuses without a message');
    return;
  }
  if (accepted !== true) throw new TypeError('it neither accepts nor refuses');
  const names = TEXTS[kind] as readonly string[];
  const wrong = Object.entries(rest).find(
    ([name, value]) => value !== undefined && !(names.includes(name) && isText(value, name)),
  );
  if (wrong !== undefined) throw new TypeError(`it answers "${wrong[0]}", which is no text of ${kind}`);
}

function isText(value: unknown, name: string): boolean {
  if (name !== 'tags') return typeof value === 'string';
  return Array.isArray(value) && value.every((tag) => typeof tag === 'string');
}

function refusalOf(
  { codes }: OwnedFilter,
  { code, message }: { readonly code: string; readonly message: string },
): ApiError {
  return new ApiError(
    codes.find((known) => known.code === code)!,
    message,
  );
}
