import type { components } from '@tradepost/client';
import { after } from '../../live.js';
import { session } from '../../session.js';

type Schemas = components['schemas'];
export type Kind = 'posts' | 'pages';
export type EntrySummary = Schemas['PostSummaryDto'] | Schemas['PageSummaryDto'];
export type Entry = Schemas['AuthoredPostDto'] | Schemas['AuthoredPageDto'];
export type WritePost = Schemas['WritePostDto'];
type WritePage = Schemas['WritePageDto'];

export const idOf = (entry: EntrySummary | Entry): string =>
  'post_id' in entry ? entry.post_id : entry.page_id;

interface EntryPage {
  readonly data: readonly EntrySummary[];
  readonly next_cursor: string | null;
}

/** The same calls for posts and for pages. */
export interface EntryCalls {
  readonly list: (cursor: string | undefined, signal: AbortSignal) => Promise<EntryPage>;
  /** As an answer with its `ETag`. */
  readonly one: (id: string, signal: AbortSignal) => Promise<Response>;
  readonly create: (body: WritePost) => Promise<Entry>;
  readonly replace: (id: string, body: WritePost, etag: string) => Promise<Entry>;
  readonly remove: (id: string) => Promise<unknown>;
}

export function callsOf(kind: Kind): EntryCalls {
  const { client } = session.value;
  if (kind === 'posts') {
    const one = '/admin/blog/posts/{post_id}';
    const at = (id: string) => ({ path: { post_id: id } });
    return {
      list: (cursor, signal) => client.get('/admin/blog/posts', { params: { query: after(cursor) }, signal }),
      one: (id, signal) => client.response(one, { params: at(id), signal }),
      create: (body) => client.post('/admin/blog/posts', { body }),
      replace: (id, body, etag) => client.put(one, { params: at(id), body, headers: { 'If-Match': etag } }),
      remove: (id) => client.delete(one, { params: at(id) }),
    };
  }
  const one = '/admin/blog/pages/{page_id}';
  const at = (id: string) => ({ path: { page_id: id } });
  return {
    list: (cursor, signal) => client.get('/admin/blog/pages', { params: { query: after(cursor) }, signal }),
    one: (id, signal) => client.response(one, { params: at(id), signal }),
    create: (body) => client.post('/admin/blog/pages', { body: ofPage(body) }),
    replace: (id, body, etag) =>
      client.put(one, { params: at(id), body: ofPage(body), headers: { 'If-Match': etag } }),
    remove: (id) => client.delete(one, { params: at(id) }),
  };
}

/** What pages have, too. */
function ofPage({ title, markdown, slug, status, published_at: at }: WritePost): WritePage {
  return {
    title,
    markdown,
    ...(slug !== undefined && { slug }),
    ...(status !== undefined && { status }),
    ...(at !== undefined && { published_at: at }),
  };
}
