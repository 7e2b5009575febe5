import type { Response } from 'express';
import { revalidated } from '../../../kit/http/conditional.js';
import type { AuthoringDto } from './entry.dto.js';
import { etagOf } from './entry-row.js';

/** Something that is read, and when it was last modified. */
export interface Dated<T> {
  readonly body: T;
  readonly modifiedAt: Date;
}

/** An entry under its present slug, or the path that it has by now. */
export type Found<T> = Dated<T> | { readonly movedTo: string };

/** Answers an entry, or sends the reader on with 301 to where it is now. */
export function answerFound<T extends object>(response: Response, found: Found<T>): T | undefined {
  if ('body' in found) return revalidated(response, found.body, found.modifiedAt);
  // Permanent as far as known, but the slug may be given to another entry, so caches must revalidate.
  response.status(301).setHeader('Location', found.movedTo).setHeader('Cache-Control', 'no-cache');
  return undefined;
}

/** Answers what operators see of an entry, with the tag that they name when they change it. */
export function answerTagged<T extends AuthoringDto>(response: Response, entry: T): T {
  response.setHeader('ETag', etagOf(entry)).setHeader('Cache-Control', 'no-store');
  return entry;
}
