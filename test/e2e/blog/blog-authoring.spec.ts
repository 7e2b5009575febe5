import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import {
  change,
  everything,
  fromNow,
  HOUR_MS,
  put,
  writePage,
  writePost,
} from '../../support/clients/blog-client.js';
import { Caller, callerFor, loggedIn, type Json, type Reply } from '../../support/caller.js';
import { expectRefusal, postParts } from '../../support/clients/pets-client.js';

const POST = { title: 'A post', markdown: 'Some *words*.' };

describe('writing the blog', () => {
  let app: TestApp;
  let operator: Caller;
  let reader: Caller;
  beforeAll(async () => {
    app = await startTestApp();
    operator = await callerFor(app.url, 'admin');
    reader = new Caller(app.url);
  });
  afterAll(() => app.close());

  const write = (body: Json): Promise<Reply> => operator.post('/admin/blog/posts', body);
  const sessionByQuery = async (): Promise<string> => {
    const response = await fetch(`${app.url}/user/login?username=admin&password=admin-password`);
    return (await response.json()) as string;
  };
  const pathOf = (post: Json): string => `/admin/blog/posts/${post.post_id}`;

  it('is for operators alone', async () => {
    const post = await writePost(operator);
    const page = await writePage(operator);
    const strangers = [
      reader,
      await callerFor(app.url, 'demo'),
      await loggedIn(app.url, 'alice'),
      // A session of an operator whose password was in the query, and so perhaps in a log.
      new Caller(app.url, await sessionByQuery()),
    ];
    for (const [i, stranger] of strangers.entries()) {
      for (const reply of [
        await stranger.post('/admin/blog/posts', POST),
        await stranger.get('/admin/blog/posts'),
        await stranger.get(pathOf(post)),
        await put(stranger, pathOf(post), POST),
        await stranger.delete(pathOf(post)),
        await stranger.post('/admin/blog/preview', { markdown: 'a' }),
        await stranger.post('/admin/blog/pages', POST),
        await put(stranger, `/admin/blog/pages/${page.page_id}`, POST),
        await stranger.delete(`/admin/blog/pages/${page.page_id}`),
        await stranger.get('/admin/blog/images'),
        await stranger.delete(`/admin/blog/images/${'0'.repeat(32)}.png`),
      ]) {
        expect(reply.status).toBe(i === 0 ? 401 : 403);
      }
    }
    expect((await operator.get(pathOf(post))).body).toEqual(post);
    const session = await loggedIn(app.url, 'admin');
    const written = await session.post('/admin/blog/posts', POST);
    expect(written).toMatchObject({ status: 201, body: { author: { slug: 'admin', name: 'admin' } } });
  });

  describe('a post', () => {
    it('is a draft at first, and can be found by operators', async () => {
      const { status, body, headers } = await write({ ...POST, title: 'Just begun' });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        post_id: expect.stringMatching(/^pst_/),
        slug: 'just-begun',
        status: 'draft',
        published_at: null,
        markdown: POST.markdown,
        html: '<p>Some <em>words</em>.</p>',
        category: null,
        tags: [],
        feature_image: null,
        version: 1,
      });
      expect(headers.get('etag')).toBe('"1-draft"');
      const { html: _html, markdown: _markdown, ...summary } = body;
      const listed = await operator.walk('/admin/blog/posts?status=draft', 2);
      expect(listed[0]).toEqual(summary);
      expect(listed.every((each) => each.status === 'draft')).toBe(true);
    });

    it('is listed by its status of the moment', async () => {
      const { post_id: id } = await writePost(operator, {
        status: 'scheduled',
        published_at: fromNow(HOUR_MS),
      });
      const idsOf = async (query: string): Promise<string[]> =>
        (await operator.walk(`/admin/blog/posts${query}`, 3)).map(({ post_id }) => post_id);
      expect(await idsOf('?status=scheduled')).toContain(id);
      expect(await idsOf('?status=published')).not.toContain(id);
      const all = await idsOf('');
      expect(all).toContain(id);
      expect(all).toEqual([...all].sort().reverse());
      expect((await operator.get('/admin/blog/posts?status=gone')).status).toBe(400);
      expect((await operator.get('/admin/blog/posts?cursor=x')).body.error.code).toBe('invalid_cursor');
    });

    it('is replaced as a whole, but for slug, author, status and time', async () => {
      const post = await writePost(operator, {
        slug: 'kept-slug',
        category: 'Gone',
        tags: ['Gone'],
        author: 'Kept Author',
        feature_image: 'https://example.com/a.png',
        custom_excerpt: 'Gone.',
        published_at: '2024-01-01T00:00:00.000Z',
      });
      const { status, body } = await put(operator, pathOf(post), { title: 'New title', markdown: 'New.' });
      expect(status).toBe(200);
      expect(body).toEqual({
        ...post,
        title: 'New title',
        markdown: 'New.',
        html: '<p>New.</p>',
        excerpt: 'New.',
        custom_excerpt: null,
        category: null,
        tags: [],
        feature_image: null,
        version: 2,
        updated_at: body.updated_at,
      });
      expect((await operator.get(pathOf(post))).body).toEqual(body);
      expect((await reader.get('/blog/posts?q=words&tag=gone')).body.data).toEqual([]);
    });

    it('is deleted with all that leads to it', async () => {
      const post = await change(operator, await writePost(operator, { slug: 'early' }), { slug: 'late' });
      expect((await operator.delete(pathOf(post))).status).toBe(204);
      for (const path of ['/blog/posts/early', '/blog/posts/late', pathOf(post)]) {
        expect((await operator.get(path)).status).toBe(404);
      }
      expect((await operator.delete(pathOf(post))).status).toBe(404);
      expect((await put(operator, pathOf(post), POST)).status).toBe(404);
      expect(await writePost(operator, { slug: 'early' })).toMatchObject({ slug: 'early' });
    });

    it('has a slug that no other one has', async () => {
      const taken = await writePost(operator, { slug: 'only-one' });
      expectRefusal(await write({ ...POST, slug: 'only-one' }), 409, 'conflict');
      const other = await writePost(operator, { title: 'Only one' });
      expect(other.slug).toBe('only-one-2');
      expectRefusal(await put(operator, pathOf(other), { ...POST, slug: 'only-one' }), 409, 'conflict');
      expect((await operator.get(pathOf(other))).body).toEqual(other);
      expect((await operator.get(pathOf(taken))).body).toEqual(taken);
      const titles = ['東京', '!!!', '…', 'x'.repeat(200)];
      const slugs = await Promise.all(
        titles.map(async (title) => (await writePost(operator, { title })).slug),
      );
      expect(slugs[0]).toBe('dongjing');
      expect(slugs.slice(1, 3).sort()).toEqual(['post', 'post-2']);
      expect(slugs[3]).toBe('x'.repeat(100));
    });

    it('keeps its slug apart from those of many at once', async () => {
      const written = await Promise.all(
        Array.from({ length: 12 }, () => write({ ...POST, title: 'All at once' })),
      );
      expect(written.map(({ status }) => status)).toEqual(Array(12).fill(201));
      expect(new Set(written.map(({ body }) => body.slug)).size).toBe(12);
      const chosen = await Promise.all(Array.from({ length: 8 }, () => write({ ...POST, slug: 'one-wins' })));
      expect(chosen.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
      // Two posts that swap slugs: no deadlock.
      const [a, b] = [
        await writePost(operator, { slug: 'swap-a' }),
        await writePost(operator, { slug: 'swap-b' }),
      ];
      const swapped = await Promise.all([
        put(operator, pathOf(a), { ...POST, slug: 'swap-b' }),
        put(operator, pathOf(b), { ...POST, slug: 'swap-a' }),
      ]);
      expect(swapped.map(({ status }) => status)).toEqual([409, 409]);
    });

    it('is written once per Idempotency-Key', async () => {
      const send = (): Promise<Reply> =>
        operator.post('/admin/blog/posts', { ...POST, title: 'Once only' }, { 'idempotency-key': 'blog-1' });
      const first = await send();
      const again = await send();
      expect(again).toMatchObject({ status: 201, body: first.body });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    });
  });

  describe('two editors', () => {
    it('do not overwrite each other', async () => {
      const post = await writePost(operator);
      const etag = (await operator.get(pathOf(post))).headers.get('etag')!;
      const edit = (title: string): Promise<Reply> =>
        put(operator, pathOf(post), { ...POST, title }, { 'if-match': etag });
      const replies = await Promise.all([edit('By Ann'), edit('By Bob'), edit('By Cat')]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
      const winner = replies.find(({ status }) => status === 200)!;
      expect(replies.find(({ status }) => status === 412)!.body.error.code).toBe('precondition_failed');
      const now = await operator.get(pathOf(post));
      expect(now.body).toEqual(winner.body);
      expect(now.headers.get('etag')).toBe(winner.headers.get('etag'));
      expect(now.headers.get('cache-control')).toBe('no-store');

      const remove = (ifMatch: string): Promise<Reply> =>
        operator.send('DELETE', pathOf(post), undefined, { 'if-match': ifMatch });
      expect((await remove(etag)).status).toBe(412);
      expect((await remove(`W/${now.headers.get('etag')!}`)).status).toBe(412);
      expect((await remove(`"other", ${now.headers.get('etag')!}`)).status).toBe(204);
      expect((await remove('*')).status).toBe(404);
    });

    it('learn that a post was published meanwhile', async () => {
      const post = await writePost(operator, { status: 'scheduled', published_at: fromNow(HOUR_MS) });
      await queryOnce(
        app.config.databaseUrl!,
        'UPDATE blog_entries SET published_at = now() WHERE slug = $1',
        [post.slug],
      );
      expect((await put(operator, pathOf(post), POST, { 'if-match': '"1-scheduled"' })).status).toBe(412);
      expect((await put(operator, pathOf(post), POST, { 'if-match': '*' })).status).toBe(200);
      expect((await put(operator, pathOf(post), POST)).status).toBe(200);
    });
  });

  describe('what does not fit', () => {
    it.each<[string, Json, string]>([
      ['no title', { title: undefined }, 'title'],
      ['a blank title', { title: '  ' }, 'title'],
      ['a title of two lines', { title: 'a\nb' }, 'title'],
      ['a title too long', { title: 'x'.repeat(201) }, 'title'],
      ['a title that is no text', { title: { en: 'x' } }, 'title'],
      ['no text', { markdown: undefined }, 'markdown'],
      ['an empty text', { markdown: '' }, 'markdown'],
      ['a list as text', { markdown: ['a'] }, 'markdown'],
      ['an empty slug', { slug: '' }, 'slug'],
      ['an upper case slug', { slug: 'Slug' }, 'slug'],
      ['a slug with a space', { slug: 'a b' }, 'slug'],
      ['a slug that climbs', { slug: '../about' }, 'slug'],
      ['a slug with a line break', { slug: 'a\n' }, 'slug'],
      ['a slug in Cyrillic', { slug: 'аbout' }, 'slug'],
      ['a slug with a dot', { slug: 'feed.xml' }, 'slug'],
      ['a slug of joiners', { slug: 'a\u200db' }, 'slug'],
      ['a slug too long', { slug: 'x'.repeat(101) }, 'slug'],
      ['an unknown status', { status: 'public' }, 'status'],
      ['no real day', { published_at: '2026-02-30T00:00:00Z' }, 'published_at'],
      ['a local time', { published_at: '2026-02-03T00:00:00+01:00' }, 'published_at'],
      [
        'a time ahead for what is published',
        { status: 'published', published_at: fromNow(HOUR_MS) },
        'published_at',
      ],
      [
        'a time gone for what is scheduled',
        { status: 'scheduled', published_at: fromNow(-HOUR_MS) },
        'published_at',
      ],
      ['no time for what is scheduled', { status: 'scheduled' }, 'published_at'],
      ['a category without a letter', { category: '!!!' }, 'category'],
      ['a category too long', { category: 'x'.repeat(101) }, 'category'],
      ['tags that are no list', { tags: 'a,b' }, 'tags'],
      ['too many tags', { tags: Array.from({ length: 21 }, (_, i) => `tag ${i}`) }, 'tags'],
      ['a tag without a letter', { tags: ['fine', '…'] }, 'tags.1'],
      ['a tag with a control character', { tags: ['a\u0007b'] }, 'tags'],
      ['a script as image', { feature_image: 'javascript:alert(1)' }, 'feature_image'],
      ['an image in the address', { feature_image: 'data:image/png;base64,AAAA' }, 'feature_image'],
      ['no address at all', { feature_image: 'https://' }, 'feature_image'],
      ['an id', { post_id: 'pst_00000000001' }, 'post_id'],
      ['finished HTML', { html: '<script>alert(1)</script>' }, 'html'],
      ['a version', { version: 7 }, 'version'],
      ['a kind', { kind: 'page' }, 'kind'],
      ['an author id', { author_id: '1' }, 'author_id'],
      ['a creation time', { created_at: '2020-01-01T00:00:00Z' }, 'created_at'],
    ])('is refused: %s', async (_what, fields, field) => {
      const count = async (): Promise<number> => (await operator.walk('/admin/blog/posts', 200)).length;
      const before = await count();
      const post = await write({ ...POST, ...fields });
      expectRefusal(post, 400, 'validation_failed', field);
      expect(await count()).toBe(before);
    });

    it('is refused for pages: what only posts have', async () => {
      for (const field of ['category', 'tags', 'feature_image', 'custom_excerpt', 'author']) {
        const reply = await operator.post('/admin/blog/pages', { ...POST, [field]: 'x' });
        expectRefusal(reply, 400, 'validation_failed', field);
      }
    });

    it('is refused when it is too large, and answered soon when it is only odd', async () => {
      const status = async (markdown: string): Promise<number> => (await write({ ...POST, markdown })).status;
      expect(await status('x'.repeat(100_001))).toBe(400);
      expect(await status('x'.repeat(103_000))).toBe(413);
      const fill = (piece: string): string =>
        piece.repeat(Math.floor(96_000 / Buffer.byteLength(JSON.stringify(piece))));
      for (const piece of ['a-', 'a.b/', 'a@b.', 'a/', '-1.', '\u00e9', '<b>', '> ', '1e', 'x', '😀 ']) {
        expect(await status(fill(piece)), piece).toBe(201);
      }
      const words = Array.from({ length: 16_000 }, (_, i) => i.toString(36)).join(' ');
      expect(await status(words)).toBe(201);
      expect(await status(`[a]: /${'x'.repeat(50_000)}\n\n${'[a]'.repeat(15_000)}`)).toBe(400);
    });

    it('leaves no trace of labels that only a refused post names', async () => {
      await writePost(operator, { slug: 'in-the-way' });
      await write({ ...POST, slug: 'in-the-way', category: 'Traceless', tags: ['Traceless'] });
      const rows = await queryOnce(
        app.config.databaseUrl!,
        `SELECT slug FROM blog_categories WHERE slug = 'traceless' UNION ALL
         SELECT slug FROM blog_tags WHERE slug = 'traceless'`,
      );
      expect(rows).toEqual([]);
    });

    it.each(['pst_', 'pst_00000000000', 'pst_zzzzzzzzzzz', 'pag_00000000001', '1', '%00', 'x'.repeat(500)])(
      'names no post: %s',
      async (id) => {
        for (const reply of [
          await operator.get(`/admin/blog/posts/${id}`),
          await put(operator, `/admin/blog/posts/${id}`, POST),
          await operator.delete(`/admin/blog/posts/${id}`),
        ]) {
          expect([400, 404]).toContain(reply.status);
        }
      },
    );

    it('a page is no post, whatever it is called by', async () => {
      const page = await writePage(operator);
      const asPost = page.page_id.replace('pag_', 'pst_');
      expect((await operator.get(`/admin/blog/posts/${asPost}`)).status).toBe(404);
      expect((await put(operator, `/admin/blog/posts/${asPost}`, POST)).status).toBe(404);
      expect((await operator.delete(`/admin/blog/posts/${asPost}`)).status).toBe(404);
      expect((await operator.get(`/admin/blog/pages/${page.page_id}`)).status).toBe(200);
    });
  });

  it('puts nothing dangerous before readers', async () => {
    await writePost(operator, {
      title: '<script>alert(1)</script>',
      markdown:
        'Hi <script>alert(2)</script><img src=x onerror=alert(3)> [x](javascript:alert(4)) <svg onload=alert(5)>',
    });
    const seen = await everything(app.url);
    for (const trace of ['alert(2)', 'onerror', 'href="javascript', '<svg', 'onload']) {
      expect(seen).not.toContain(trace);
    }
  });

  describe('a preview', () => {
    const preview = (body: Json): Promise<Reply> => operator.post('/admin/blog/preview', body);

    it('is what readers will see, and keeps nothing', async () => {
      const markdown = 'Some *words*, an [address](other) and a <script>alert(1)</script>.';
      const reply = await preview({ markdown });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      const listed = await operator.get('/admin/blog/posts?limit=200');
      expect(listed.body.data).not.toContainEqual(expect.objectContaining({ excerpt: reply.body.excerpt }));
      const { slug } = await writePost(operator, { ...POST, markdown });
      const { body: post } = await reader.get(`/blog/posts/${slug}`);
      expect(reply.body).toEqual({
        html: post.html,
        excerpt: post.excerpt,
        reading_time: post.reading_time,
      });
    });

    it('reads addresses from where the text will be', async () => {
      const { body } = await preview({ markdown: '[address](other)', kind: 'page' });
      expect(body.html).toContain(`${app.config.publicUrl}/blog/pages/other`);
    });

    it.each([
      ['markdown', { markdown: '' }],
      ['markdown', { markdown: 'x'.repeat(100_001) }],
      ['markdown', { markdown: `[a]: /${'x'.repeat(50_000)}\n\n${'[a]'.repeat(15_000)}` }],
      ['kind', { markdown: 'a', kind: 'draft' }],
      ['title', { markdown: 'a', title: 'b' }],
    ])('is refused for a wrong %s', async (field, body) => {
      expectRefusal(await preview(body), 400, 'validation_failed', field);
    });
  });

  describe('a page', () => {
    it('is written, replaced and deleted as posts are', async () => {
      const page = await writePage(operator, { title: 'Imprint', markdown: '[Us](about)' });
      expect(page).toMatchObject({
        page_id: expect.stringMatching(/^pag_[0-9A-Z]{11}$/),
        slug: 'imprint',
        status: 'published',
      });
      const path = `/admin/blog/pages/${page.page_id}`;
      expect((await reader.get('/blog/pages/imprint')).body).toEqual({
        slug: 'imprint',
        url: `${app.url}/blog/pages/imprint`,
        title: 'Imprint',
        html: `<p><a href="${app.url}/blog/pages/about">Us</a></p>`,
        updated_at: page.updated_at,
      });
      const { html: _html, markdown: _markdown, ...summary } = page;
      expect(await operator.walk('/admin/blog/pages', 2)).toContainEqual(summary);
      const etag = (await operator.get(path)).headers.get('etag')!;
      const changed = await put(operator, path, { title: 'Imprint 2', markdown: 'b' }, { 'if-match': etag });
      expect(changed).toMatchObject({ status: 200, body: { slug: 'imprint', version: 2 } });
      expect((await put(operator, path, { title: 'c', markdown: 'c' }, { 'if-match': etag })).status).toBe(
        412,
      );
      expectRefusal(await operator.post('/admin/blog/pages', { ...POST, slug: 'imprint' }), 409, 'conflict');
      expect((await operator.delete(path)).status).toBe(204);
      expect((await reader.get('/blog/pages/imprint')).status).toBe(404);
    });

    it('is never among the posts', async () => {
      const page = await writePage(operator, { title: 'Flamingo', markdown: 'Flamingo text.' });
      expect((await reader.get('/blog/posts?q=flamingo')).body.data).toEqual([]);
      expect((await reader.get(`/blog/posts/${page.slug}`)).status).toBe(404);
    });
  });

  describe('an image', () => {
    const png = sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const upload = async (content: Uint8Array, headers: Record<string, string> = {}): Promise<Reply> =>
      operator.send('POST', '/admin/blog/images', new Uint8Array(content), {
        'content-type': 'application/octet-stream',
        ...headers,
      });

    it('is stored, served to everyone and shown in posts', async () => {
      const { status, body } = await upload(await png);
      expect(status).toBe(201);
      expect(body).toMatchObject({
        image_name: expect.stringMatching(/^[0-9a-f]{32}\.png$/),
        url: `${app.url}/blog/images/${body.image_name}`,
        media_type: 'image/png',
        size_bytes: expect.any(Number),
      });
      const served = await fetch(body.url);
      expect(served.status).toBe(200);
      expect(served.headers.get('content-type')).toBe('image/png');
      expect(served.headers.get('cache-control')).toContain('immutable');
      expect((await served.arrayBuffer()).byteLength).toBe(body.size_bytes);
      expect((await operator.get('/admin/blog/images?limit=1')).body.data).toEqual([body]);

      const post = await writePost(operator, {
        markdown: `![A square](${body.url})`,
        feature_image: body.url,
      });
      expect(post).toMatchObject({
        html: `<p><img src="${body.url}" alt="A square" /></p>`,
        feature_image: body.url,
      });
      const path = `/admin/blog/images/${body.image_name}`;
      expectRefusal(await operator.delete(path), 409, 'conflict');
      await operator.delete(pathOf(post));
      expect((await operator.delete(path)).status).toBe(204);
      expect((await fetch(body.url)).status).toBe(404);
      expect((await operator.delete(path)).status).toBe(404);
      expect(await readdir(join(app.config.dataDir, 'files/blog'))).not.toContain(body.image_name);
    });

    it('comes in a form, too, and once per Idempotency-Key', async () => {
      const form = new FormData();
      form.append('file', new File([new Uint8Array(await png)], '../../evil.html', { type: 'text/html' }));
      expect(await postParts(operator, '/admin/blog/images', form)).toMatchObject({
        status: 201,
        body: { media_type: 'image/png' },
      });
      const key = { 'idempotency-key': 'image-1' };
      const [first, again] = [await upload(await png, key), await upload(await png, key)];
      expect(again.body).toEqual(first.body);
    });

    it.each<[string, Uint8Array | string]>([
      ['nothing', ''],
      ['a page', '<html><script>alert(1)</script></html>'],
      ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
      ['half a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])],
    ])('is refused where it is %s', async (_what, content) => {
      const { status } = await upload(typeof content === 'string' ? Buffer.from(content) : content);
      expect(status).toBe(400);
    });

    it.each(['nothing.png', `${'0'.repeat(32)}.png`, '..%2F..%2Fpackage.json', `${'0'.repeat(32)}.svg`])(
      'is not found as %s',
      async (name) => {
        expect((await reader.get(`/blog/images/${name}`)).status).toBe(404);
        expect((await operator.delete(`/admin/blog/images/${name}`)).status).toBe(404);
      },
    );

    it('is listed newest first, page by page', async () => {
      for (let i = 0; i < 3; i++) await upload(await png);
      const images = await operator.walk('/admin/blog/images', 2);
      const times = images.map(({ created_at }) => created_at);
      expect(times).toEqual([...times].sort().reverse());
      expect(new Set(images.map(({ image_name }) => image_name)).size).toBe(images.length);
    });
  });
});
