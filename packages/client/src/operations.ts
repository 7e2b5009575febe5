import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { paths } from './generated/openapi.js';
import type { CallOptions } from './transport.js';

/** How the types of the document become those of calls. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have this method. */
export type PathWith<M extends Method> = {
  [Path in keyof paths]: undefined extends paths[Path][M] ? never : Path;
}[keyof paths];

type Parameters<Path extends keyof paths, M extends Method> = Pick<
  NonNullable<MaybeOptionalInit<paths[Path], M>>,
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

export type CallInit<Path extends keyof paths, M extends Method> = WithForms<Parameters<Path, M>> &
  CallOptions & { readonly headers?: Readonly<Record<string, string>> | undefined };

/** What a call takes after its path: nothing needed where no parameter is. */
export type CallArguments<Path extends keyof paths, M extends Method> =
  undefined extends MaybeOptionalInit<paths[Path], M>
    ? [init?: CallInit<Path, M>]
    : [init: CallInit<Path, M>];

type Operation = Record<string | number, unknown>;

/** The JSON of the successful answer. */
export type Data<Path extends keyof paths, M extends Method> = paths[Path][M] extends infer O extends
  Operation
  ? NonNullable<FetchResponse<O, object, 'application/json'>['data']>
  : never;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

/** The paths of lists, which answer page by page. */
export type ListPath = {
  [Path in PathWith<'get'>]: Data<Path, 'get'> extends Page<unknown> ? Path : never;
}[PathWith<'get'>];

export type ItemOf<Path extends ListPath> = Data<Path, 'get'> extends Page<infer Item> ? Item : never;
