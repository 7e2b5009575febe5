import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { CallOptions } from './transport.js';

/** How the types of a document, the `paths` of openapi-typescript, become those of calls. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have this method. */
export type PathWith<Paths, M extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends Record<M, object> ? Path : never;
}[keyof Paths] &
  string;

type Init<Paths, Path extends keyof Paths, M extends Method> =
  Paths[Path] extends Record<M, object> ? MaybeOptionalInit<Paths[Path], M> : never;

type Parameters<Paths, Path extends keyof Paths, M extends Method> = Pick<
  NonNullable<Init<Paths, Path, M>>,
  'params' | 'body'
>;

/** Forms are sent as they are; their types in the document are those of JSON. */
type WithForms<Init> = {
  [Key in keyof Init]: Key extends 'body'
    ? [Exclude<Init[Key], undefined>] extends [never]
      ? Init[Key]
      : Init[Key] | FormData | URLSearchParams
    : Init[Key];
};

export type CallInit<Paths, Path extends keyof Paths, M extends Method> = WithForms<
  Parameters<Paths, Path, M>
> &
  CallOptions & { readonly headers?: Readonly<Record<string, string>> | undefined };

/** What a call takes after its path: nothing needed where no parameter is. */
export type CallArguments<Paths, Path extends keyof Paths, M extends Method> =
  undefined extends Init<Paths, Path, M>
    ? [init?: CallInit<Paths, Path, M>]
    : [init: CallInit<Paths, Path, M>];

type Operation = Record<string | number, unknown>;

/** The JSON of the successful answer. */
export type Data<Paths, Path extends keyof Paths, M extends Method> =
  Paths[Path] extends Record<M, infer O extends Operation>
    ? NonNullable<FetchResponse<O, object, 'application/json'>['data']>
    : never;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

/** The paths of lists, which answer page by page. */
export type ListPath<Paths> = {
  [Path in PathWith<Paths, 'get'>]: Data<Paths, Path, 'get'> extends Page<unknown> ? Path : never;
}[PathWith<Paths, 'get'>];

export type ItemOf<Paths, Path extends keyof Paths> =
  Data<Paths, Path, 'get'> extends Page<infer Item> ? Item : never;
