import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import {
  change,
  everything,
  fromNow,
  HOUR_MS,
  put,
  read,
  writePage,
  writePost,
} from '../../support/clients/blog-client.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';

describe('the blog', () => {
  let app: TestApp;
  let operator: Caller;
  let reader: Caller;
  beforeAll(async () => {
    app = await startTestApp();
    operator = await callerFor(app.url, 'admin');
    reader = new Caller(app.url);
  });
  afterAll(() => app.close());

  const slugsOf = async (query: string): Promise<string[]> =>
    (await reader.walk(`/blog/posts?${query}`, 50)).map(({ slug }: Json) => slug);

  it('has something to read from the start', async () => {
    const posts = await reader.walk('/blog/posts', 2);
    expect(posts.length).toBeGreaterThan(3);
    for (const post of posts) {
      expect(post).toMatchObject({
        post_id: expect.stringMatching(/^pst_[0-9A-Z]{11}$/),
        url: `${app.url}/blog/posts/${post.slug}`,
        status: 'published',
        reading_time: expect.any(Number),
        category: { slug: expect.any(String), name: expect.any(String) },
        author: { slug: expect.any(String), name: expect.any(String) },
      });
      expect(post.html).toContain('<p>');
    }
    expect((await reader.get('/blog/pages/about')).body).toMatchObject({ slug: 'about', title: 'About us' });
    expect((await reader.get('/blog/pages/terms')).body).toMatchObject({ slug: 'terms' });
    // Every link in the texts has a target.
    const html = posts.map((post: Json) => post.html as string).join('');
    const own = [...html.matchAll(/href="(http:\/\/127\.0\.0\.1[^"]*)"/g)].map(([, href]) => href ?? '');
    expect(own.length).toBeGreaterThan(3);
    for (const href of new Set(own)) expect((await fetch(href)).status, href).toBe(200);
  });

  describe('a post', () => {
    it('is answered with all that it has', async () => {
      const written = await writePost(operator, {
        title: 'Fees & “rebates”',
        markdown: 'Makers pay *nothing*.\n\n[More](how-an-order-book-works)',
        category: 'Product news',
        tags: ['Fees', 'Makers', 'fees'],
        author: 'Ada Lovelace',
        feature_image: '/blog/images/picture.png',
        published_at: '2024-01-02T03:04:05.006Z',
      });
      expect(written).toMatchObject({ version: 1, custom_excerpt: null, status: 'published' });
      const { status, body } = await reader.get(`/blog/posts/${written.slug}`);
      expect(status).toBe(200);
      expect(body).toEqual({
        post_id: written.post_id,
        slug: 'fees-rebates',
        url: `${app.url}/blog/posts/fees-rebates`,
        title: 'Fees & “rebates”',
        html: `<p>Makers pay <em>nothing</em>.</p>\n<p><a href="${app.url}/blog/posts/how-an-order-book-works">More</a></p>`,
        excerpt: 'Makers pay nothing. More',
        feature_image: `${app.url}/blog/images/picture.png`,
        status: 'published',
        published_at: '2024-01-02T03:04:05.006Z',
        updated_at: written.updated_at,
        reading_time: 1,
        category: { slug: 'product-news', name: 'Product news' },
        tags: [
          { slug: 'fees', name: 'Fees' },
          { slug: 'makers', name: 'Makers' },
        ],
        author: { slug: 'ada-lovelace', name: 'Ada Lovelace' },
      });
    });

    it('may say its excerpt itself', async () => {
      const { slug } = await writePost(operator, { custom_excerpt: 'In short: no.' });
      expect((await reader.get(`/blog/posts/${slug}`)).body.excerpt).toBe('In short: no.');
    });

    it.each([
      'nothing-such',
      'Nothing',
      '%F0%9F%98%80',
      '..%2F..%2Fetc%2Fpasswd',
      "'%20OR%201=1--",
      'x'.repeat(2_000),
      '%E0%A4%A',
    ])('is not found as %s', async (slug) => {
      for (const kind of ['posts', 'pages']) {
        const { status } = await reader.get(`/blog/${kind}/${slug}`);
        expect([400, 404]).toContain(status);
      }
    });
  });

  describe('lists', () => {
    it('are newest first, page by page, whatever is published in between', async () => {
      const times = ['2024-03-03', '2024-03-01', '2024-03-02', '2024-03-02', '2024-03-02'];
      const written: Json[] = [];
      for (const [i, day] of times.entries()) {
        written.push(
          await writePost(operator, {
            title: `Page by page ${i}`,
            tags: ['Pages'],
            published_at: `${day}T00:00:00.000Z`,
          }),
        );
      }
      const expected = [0, 4, 3, 2, 1].map((i) => written[i].slug);
      for (const limit of [1, 2, 3, 50]) {
        const posts = await reader.walk('/blog/posts?tag=pages', limit);
        expect(posts.map(({ slug }: Json) => slug)).toEqual(expected);
      }
      const first = (await reader.get('/blog/posts?tag=pages&limit=2')).body;
      await writePost(operator, { tags: ['Pages'] });
      const second = (await reader.get(`/blog/posts?tag=pages&limit=3&cursor=${first.next_cursor}`)).body;
      expect([...first.data, ...second.data].map(({ slug }: Json) => slug)).toEqual(expected);
      expect(second.next_cursor).toBeNull();
    });

    it('are filtered by category, tag and words together', async () => {
      const post = async (
        title: string,
        markdown: string,
        category: string,
        tags: string[],
      ): Promise<string> => (await writePost(operator, { title, markdown, category, tags })).slug;
      const a = await post('Zebras running', 'One zebra **ran** home.', 'Animals', ['Stripes', 'Africa']);
      const b = await post('Tigers', 'Stripes, but no zebra.', 'Animals', ['Stripes']);
      const c = await post('Barcodes', 'Stripes for machines.', 'Things', ['Stripes']);
      expect(await slugsOf('category=animals')).toEqual([b, a]);
      expect(await slugsOf('tag=stripes')).toEqual([c, b, a]);
      expect(await slugsOf('tag=stripes&category=things')).toEqual([c]);
      expect(await slugsOf('q=zebras')).toEqual([b, a]);
      expect(await slugsOf('q=run')).toContain(a);
      expect(await slugsOf('q=zebra+-tigers')).toEqual([a]);
      expect(await slugsOf('q=%22for+machines%22')).toEqual([c]);
      expect(await slugsOf('q=tigers+or+barcodes&category=animals')).toEqual([b]);
      expect(await slugsOf('category=nothing')).toEqual([]);
      expect(await slugsOf('tag=Stripes')).toEqual([]);
    });

    it.each([
      'the',
      '"',
      "'",
      '(',
      ':*',
      '&|!',
      '<->',
      '\\',
      '%',
      '-',
      '"a',
      'x'.repeat(200),
      '😀',
      '\u202e',
    ])('take %j as words', async (q) => {
      expect((await reader.get(`/blog/posts?q=${encodeURIComponent(q)}`)).status).toBe(200);
    });

    it.each([
      'limit=0',
      'limit=201',
      'q=',
      `q=${'x'.repeat(201)}`,
      'category=a&category=b',
      'status=draft',
      'cursor=x',
    ])('refuse %s', async (query) => {
      expect((await reader.get(`/blog/posts?${query}`)).status).toBe(400);
    });

    it('take cursors of their own alone', async () => {
      const encode = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
      const cursors = [encode([1]), encode(['a', 1]), encode([-1, 1]), encode([1.5, 1]), encode(null)];
      for (const cursor of cursors) {
        expect((await reader.get(`/blog/posts?cursor=${cursor}`)).body.error.code).toBe('invalid_cursor');
      }
      const far = encode([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
      expect((await reader.get(`/blog/posts?cursor=${far}`)).status).toBe(200);
    });

    it('end a page early where its texts are large, and lose nothing', async () => {
      const markdown = '&'.repeat(99_000);
      const slugs: string[] = [];
      for (let i = 0; i < 6; i++) {
        slugs.unshift((await writePost(operator, { markdown, tags: ['Large'] })).slug);
      }
      const page = (await reader.get('/blog/posts?tag=large')).body;
      expect(page.data.length).toBeLessThan(6);
      expect(page.next_cursor).not.toBeNull();
      expect((await reader.walk('/blog/posts?tag=large', 50)).map(({ slug }: Json) => slug)).toEqual(slugs);
    });
  });

  it('counts the posts of categories', async () => {
    await writePost(operator, { category: 'Counted' });
    const second = await writePost(operator, { category: 'COUNTED!' });
    await writePost(operator, { category: 'Counted', status: 'draft' });
    const categories = async (): Promise<Json[]> => reader.walk('/blog/categories', 1);
    expect(await categories()).toContainEqual({ slug: 'counted', name: 'Counted', post_count: 2 });
    const slugs = (await categories()).map(({ slug }) => slug);
    expect(slugs).toEqual([...slugs].sort());
    expect((await operator.delete(`/admin/blog/posts/${second.post_id}`)).status).toBe(204);
    expect(await categories()).toContainEqual({ slug: 'counted', name: 'Counted', post_count: 1 });
  });

  describe('what is not published', () => {
    const hide = async (more: Json): Promise<Json> =>
      writePost(operator, {
        title: 'Unicorn secret',
        markdown: 'The unicorn text.',
        category: 'Unicorns',
        tags: ['Unicorn tag'],
        author: 'Unicorn Author',
        ...more,
      });

    it('is seen nowhere while it is a draft, whatever its time', async () => {
      const drafts = [
        await hide({ status: 'draft' }),
        await hide({ status: 'draft', published_at: '2024-01-01T00:00:00.000Z' }),
        await hide({ status: 'draft', published_at: fromNow(HOUR_MS) }),
      ];
      await writePage(operator, { title: 'Unicorn page', slug: 'unicorn-page', status: 'draft' });
      expect(await everything(app.url)).not.toMatch(/unicorn/i);
      for (const query of ['q=unicorn', 'category=unicorns', 'tag=unicorn-tag']) {
        expect(await slugsOf(query)).toEqual([]);
      }
      for (const { slug } of drafts) expect((await reader.get(`/blog/posts/${slug}`)).status).toBe(404);
      expect((await reader.get('/blog/pages/unicorn-page')).status).toBe(404);
    });

    it('appears everywhere at its time, and nothing has to run for that', async () => {
      const { post_id: postId, slug } = await hide({ status: 'scheduled', published_at: fromNow(HOUR_MS) });
      const page = await writePage(operator, {
        title: 'Unicorn page',
        status: 'scheduled',
        published_at: fromNow(HOUR_MS),
      });
      const get = async (): Promise<Json> => (await operator.get(`/admin/blog/posts/${postId}`)).body;
      expect(await get()).toMatchObject({ status: 'scheduled' });
      expect(await everything(app.url)).not.toMatch(/unicorn/i);
      expect((await reader.get(`/blog/posts/${slug}`)).status).toBe(404);
      const before = await read(app.url, '/blog/posts');

      await queryOnce(
        app.config.databaseUrl!,
        `UPDATE blog_entries SET published_at = now() WHERE slug = ANY ($1)`,
        [[slug, page.slug]],
      );
      expect(await get()).toMatchObject({ status: 'published' });
      expect((await reader.get(`/blog/posts/${slug}`)).status).toBe(200);
      expect((await reader.get(`/blog/pages/${page.slug}`)).status).toBe(200);
      expect(await slugsOf('q=unicorn')).toEqual([slug]);
      const seen = await everything(app.url);
      for (const text of ['Unicorn secret', '"unicorns"', `/blog/pages/${page.slug}</loc>`]) {
        expect(seen).toContain(text);
      }
      const headers = { 'if-none-match': before.headers.get('etag')! };
      expect((await read(app.url, '/blog/posts', headers)).status).toBe(200);
    });

    it('waits for the clock of the database', async () => {
      const { slug } = await writePost(operator, { status: 'scheduled', published_at: fromNow(HOUR_MS) });
      expect((await reader.get(`/blog/posts/${slug}`)).status).toBe(404);
      await queryOnce(
        app.config.databaseUrl!,
        `UPDATE blog_entries SET published_at = clock_timestamp() + interval '300 ms' WHERE slug = $1`,
        [slug],
      );
      await eventually(
        async () => (await reader.get(`/blog/posts/${slug}`)).status === 200,
        'a scheduled post can be read',
      );
    });

    it('is gone again when a post is taken back, and comes back with its time', async () => {
      const post = await writePost(operator, { published_at: '2024-02-03T00:00:00.000Z' });
      const draft = await change(operator, post, { status: 'draft' });
      expect(draft).toMatchObject({ status: 'draft', published_at: '2024-02-03T00:00:00.000Z' });
      expect((await reader.get(`/blog/posts/${post.slug}`)).status).toBe(404);
      await change(operator, draft, { status: 'published' });
      expect((await reader.get(`/blog/posts/${post.slug}`)).body).toMatchObject({
        published_at: '2024-02-03T00:00:00.000Z',
      });
    });
  });

  describe('after a rename', () => {
    const locationOf = async (path: string): Promise<[number, string | null]> => {
      const { status, headers, text } = await read(app.url, path);
      if (status === 301) expect(text).toBe('');
      return [status, headers.get('location')];
    };

    it('former slugs lead to the new one, in one step', async () => {
      const post = await writePost(operator, { slug: 'first-name' });
      const second = await change(operator, post, { slug: 'second-name' });
      expect(await locationOf('/blog/posts/first-name')).toEqual([301, '/blog/posts/second-name']);
      const third = await change(operator, second, { slug: 'third-name' });
      for (const slug of ['first-name', 'second-name']) {
        expect(await locationOf(`/blog/posts/${slug}`)).toEqual([301, '/blog/posts/third-name']);
      }
      expect((await fetch(`${app.url}/blog/posts/first-name`)).url).toBe(`${app.url}/blog/posts/third-name`);
      await change(operator, third, { slug: 'first-name' });
      expect(await locationOf('/blog/posts/first-name')).toEqual([200, null]);
      expect(await locationOf('/blog/posts/third-name')).toEqual([301, '/blog/posts/first-name']);
    });

    it('a slug may be given to another post, which takes it over when it is seen', async () => {
      const old = await change(operator, await writePost(operator, { slug: 'wanted' }), { slug: 'old-one' });
      const next = await writePost(operator, { title: 'Next', slug: 'wanted', status: 'draft' });
      expect(await locationOf('/blog/posts/wanted')).toEqual([301, '/blog/posts/old-one']);
      await change(operator, next, { slug: 'not-wanted' });
      expect(await locationOf('/blog/posts/wanted')).toEqual([301, '/blog/posts/old-one']);
      const published = await change(operator, next, { slug: 'wanted', status: 'published' });
      expect((await reader.get('/blog/posts/wanted')).body.title).toBe('Next');
      await change(operator, published, { slug: 'next-one' });
      expect(await locationOf('/blog/posts/wanted')).toEqual([301, '/blog/posts/next-one']);
      await operator.delete(`/admin/blog/posts/${next.post_id}`);
      expect(await locationOf('/blog/posts/wanted')).toEqual([404, null]);
      expect(await locationOf(`/blog/posts/${old.slug}`)).toEqual([200, null]);
    });

    it('nothing leads to what is not published', async () => {
      const post = await writePost(operator, { slug: 'shown' });
      await change(operator, post, { slug: 'hidden-now', status: 'draft' });
      expect(await locationOf('/blog/posts/shown')).toEqual([404, null]);
      expect(await locationOf('/blog/posts/hidden-now')).toEqual([404, null]);
    });

    it('pages have slugs of their own', async () => {
      await writePost(operator, { slug: 'shared' });
      const page = await writePage(operator, { slug: 'shared' });
      const path = `/admin/blog/pages/${page.page_id}`;
      await put(operator, path, { title: 'Page', markdown: 'a', slug: 'elsewhere' });
      expect(await locationOf('/blog/pages/shared')).toEqual([301, '/blog/pages/elsewhere']);
      expect(await locationOf('/blog/posts/shared')).toEqual([200, null]);
    });

    it('a title never makes a slug that leads somewhere', async () => {
      const post = await writePost(operator, { title: 'Taken before' });
      await change(operator, post, { slug: 'moved-on' });
      expect((await writePost(operator, { title: 'Taken before' })).slug).toBe('taken-before-2');
    });
  });

  describe('who comes again', () => {
    const PATHS = [
      ...['/blog/posts', '/blog/posts?category=guides&limit=1', '/blog/posts/welcome-to-tradepost'],
      ...['/blog/categories', '/blog/pages/about', '/blog/feed.xml', '/blog/atom.xml', '/sitemap.xml'],
    ];

    it.each(PATHS)('is told that %s has not changed', async (path) => {
      const { status, headers, text } = await read(app.url, path);
      expect(status).toBe(200);
      expect(text).not.toBe('');
      const etag = headers.get('etag')!;
      const modified = headers.get('last-modified')!;
      expect(etag).toMatch(/^W\/"[^"]+"$/);
      expect(Date.parse(modified)).toBeLessThanOrEqual(Date.now());
      for (const again of [
        { 'if-none-match': etag },
        { 'if-none-match': etag.slice(2) },
        { 'if-none-match': `"other", ${etag}` },
        { 'if-none-match': '*' },
        { 'if-modified-since': modified },
        { 'if-none-match': etag, 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
      ] as Record<string, string>[]) {
        const reply = await read(app.url, path, again);
        expect(reply, JSON.stringify(again)).toMatchObject({ status: 304, text: '' });
        expect(reply.headers.get('etag')).toBe(etag);
      }
      for (const again of [
        { 'if-none-match': '"other"' },
        { 'if-none-match': '"other"', 'if-modified-since': modified },
        { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
        { 'if-modified-since': 'nonsense' },
      ] as Record<string, string>[]) {
        expect((await read(app.url, path, again)).status, JSON.stringify(again)).toBe(200);
      }
    });

    it('is told of every change, also when something is gone', async () => {
      const post = await writePost(operator, { category: 'Guides' });
      for (const act of [
        () => change(operator, post, { title: 'Another title' }),
        () => operator.delete(`/admin/blog/posts/${post.post_id}`),
      ]) {
        const before = await Promise.all(PATHS.map((path) => read(app.url, path)));
        await act();
        for (const [i, path] of PATHS.entries()) {
          const { headers, text } = before[i]!;
          const now = await read(app.url, path, { 'if-none-match': headers.get('etag')! });
          if (now.status === 200) expect(now.text).not.toBe(text);
          expect(
            Date.parse((await read(app.url, path)).headers.get('last-modified')!),
          ).toBeGreaterThanOrEqual(Date.parse(headers.get('last-modified')!));
        }
        const list = await read(app.url, '/blog/posts', { 'if-none-match': before[0]!.headers.get('etag')! });
        expect(list.status).toBe(200);
      }
    });
  });
});
