/** Shared by the Blog specs: small posts and pages, and readers without a credential. */
import { expect } from 'vitest';
import { Caller, type Json, type Reply } from '../caller.js';

export const HOUR_MS = 3_600_000;

export function fromNow(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

/** Writes a post, published by default, and returns it. */
export async function writePost(operator: Caller, post: Json = {}): Promise<Json> {
  const reply = await operator.post('/admin/blog/posts', {
    title: 'A post',
    markdown: 'Some *words*.',
    status: 'published',
    ...post,
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

export async function writePage(operator: Caller, page: Json = {}): Promise<Json> {
  const reply = await operator.post('/admin/blog/pages', {
    title: 'A page',
    markdown: 'Some *words*.',
    status: 'published',
    ...page,
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

export function put(
  operator: Caller,
  path: string,
  body: Json,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return operator.send('PUT', path, JSON.stringify(body), headers);
}

/** Replaces a post with a changed copy. */
export async function change(operator: Caller, post: Json, changes: Json): Promise<Json> {
  const { title, slug, markdown, status } = post;
  const reply = await put(operator, `/admin/blog/posts/${post.post_id}`, {
    ...{ title, slug, markdown, status },
    ...changes,
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

/** The response of an address, without following redirects. */
export async function read(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(url + path, { headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Everything public of the blog, as one text. */
export async function everything(url: string): Promise<string> {
  const reader = new Caller(url);
  const lists = await Promise.all([reader.walk('/blog/posts', 50), reader.walk('/blog/categories', 50)]);
  const texts = await Promise.all(
    ['/blog/feed.xml', '/blog/atom.xml', '/sitemap.xml'].map(async (path) => (await read(url, path)).text),
  );
  return JSON.stringify(lists) + texts.join('\n');
}
