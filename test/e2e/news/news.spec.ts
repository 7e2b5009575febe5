import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';

describe('news', () => {
  let app: TestApp;
  let operator: Caller;
  let reader: Caller;
  beforeAll(async () => {
    app = await startTestApp();
    operator = await callerFor(app.url, 'admin');
    reader = new Caller(app.url);
  });
  afterAll(() => app.close());

  const write = async (item: Json = {}): Promise<Json> => {
    const reply = await operator.post('/admin/news', { headline: 'A headline', ...item });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return reply.body;
  };
  const idsOf = async (query: string, limit = 50): Promise<string[]> =>
    (await reader.walk(`/news?${query}`, limit)).map(({ news_id }: Json) => news_id);

  it('has something to read from the start', async () => {
    const items = await reader.walk('/news', 2);
    expect(items.length).toBeGreaterThan(4);
    for (const item of items) {
      expect(item).toMatchObject({
        news_id: expect.stringMatching(/^nws_[0-9A-Z]{11}$/),
        summary: expect.stringMatching(/./),
        content: expect.stringContaining('<p>'),
        language: 'en',
      });
      for (const symbol of item.symbols) expect((await reader.get(`/markets/${symbol}`)).status).toBe(200);
    }
    // Every link in the texts has a target.
    const html = items.map(({ content }: Json) => content as string).join('');
    const own = [...html.matchAll(/href="(http:\/\/127\.0\.0\.1[^"]*)"/g)].map(([, href]) => href ?? '');
    expect(own.length).toBeGreaterThan(2);
    for (const href of new Set(own)) expect((await fetch(href)).status, href).toBe(200);
  });

  describe('an item', () => {
    it('is answered with all that it has', async () => {
      const written = await write({
        headline: 'Fees & “rebates” < yesterday',
        summary: 'In short.',
        content: '<p>See <a href="/docs">the docs</a>.</p><script>alert(1)</script>',
        author: 'Ada Lovelace',
        url: 'https://example.com/fees?x=1',
        source: 'Example Times',
        category: 'Network fees',
        symbols: ['ETH-USD', 'BTC-USD'],
        language: 'en-GB',
        published_at: '2024-01-02T03:04:05.006Z',
      });
      const { status, body } = await reader.get(`/news/${written.news_id}`);
      expect(status).toBe(200);
      expect(body).toEqual(written);
      expect(body).toEqual({
        news_id: written.news_id,
        headline: 'Fees & “rebates” < yesterday',
        summary: 'In short.',
        content: `<p>See <a href="${app.url}/docs">the docs</a>.</p>`,
        author: 'Ada Lovelace',
        url: 'https://example.com/fees?x=1',
        source: 'Example Times',
        category: 'network-fees',
        symbols: ['BTC-USD', 'ETH-USD'],
        language: 'en',
        published_at: '2024-01-02T03:04:05.006Z',
        updated_at: expect.stringMatching(/Z$/),
      });
    });

    it.each([
      [{}],
      [{ summary: null, content: null, author: null, url: null, source: null, category: null }],
      [{ symbols: null, language: null, published_at: null }],
    ])('needs no more than a headline: %j', async (nothing) => {
      const item = await write(nothing);
      expect(item).toMatchObject({
        summary: '',
        content: '',
        author: null,
        url: null,
        source: 'Tradepost',
        category: null,
        symbols: [],
        language: null,
        published_at: item.updated_at,
      });
    });

    it('has the beginning of its content for a summary, unless one is given', async () => {
      const item = await write({ content: `<h2>Title</h2><p>${'Some words. '.repeat(100)}</p>` });
      expect(item.summary).toMatch(/^Title Some words\. .*[a-z]…$/);
      expect(item.summary.length).toBeLessThan(410);
    });

    it('is revalidated by its tag', async () => {
      const { news_id: newsId } = await write();
      const etag = (await reader.get(`/news/${newsId}`)).headers.get('etag')!;
      const again = await reader.send('GET', `/news/${newsId}`, undefined, { 'if-none-match': etag });
      expect(again.status).toBe(304);
    });

    it.each(['nothing', 'nws_', 'nws_7ZZZZZZZZZZ', 'nws_00000000000', '%00', 'x'.repeat(2_000)])(
      'is not found as %s',
      async (newsId) => {
        expect([400, 404]).toContain((await reader.get(`/news/${newsId}`)).status);
      },
    );
  });

  describe('writing', () => {
    it.each([
      [{ headline: '' }],
      [{ headline: 'a\nb' }],
      [{ headline: 'x'.repeat(301) }],
      [{ headline: 1 }],
      [{ headline: null }],
      [{ url: 'javascript:alert(1)' }],
      [{ url: 'ftp://example.com' }],
      [{ url: 'https://' }],
      [{ category: '!!!' }],
      [{ language: 'English' }],
      [{ symbols: 'BTC-USD' }],
      [{ symbols: ['BTC-USD', 'BTC-USD'] }],
      [{ published_at: '2099-01-01T00:00:00.000Z' }],
      [{ published_at: '2024-02-31T00:00:00.000Z' }],
      [{ content: 'x'.repeat(100_001) }],
      [{ news_id: 'nws_00000000001' }],
    ])('refuses %j', async (fields) => {
      const reply = await operator.post('/admin/news', { headline: 'A headline', ...fields });
      expect([400, 413]).toContain(reply.status);
      const item = await write();
      const changed = await operator.patch(`/admin/news/${item.news_id}`, fields);
      expect([400, 413]).toContain(changed.status);
      expect((await reader.get(`/news/${item.news_id}`)).body).toEqual(item);
    });

    it('refuses symbols that are no markets', async () => {
      const reply = await operator.post('/admin/news', { headline: 'a', symbols: ['BTC-USD', 'NOPE-USD'] });
      expect(reply).toMatchObject({ status: 404, body: { error: { code: 'market_not_found' } } });
    });

    it('happens once per Idempotency-Key', async () => {
      const send = (headline: string) =>
        operator.post('/admin/news', { headline }, { 'idempotency-key': 'news-once' });
      const first = await send('Singular platypus');
      const again = await send('Singular platypus');
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await send('Twice')).status).toBe(422);
      expect(await idsOf('q=platypus')).toEqual([first.body.news_id]);
    });
  });

  describe('changing', () => {
    const change = async (newsId: string, fields: Json): Promise<Json> => {
      const reply = await operator.patch(`/admin/news/${newsId}`, fields);
      expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
      return reply.body;
    };

    it('replaces what is named, and takes away what is null', async () => {
      const item = await write({
        content: '<p>Old words.</p>',
        author: 'Ada',
        url: '/docs',
        category: 'Old',
        symbols: ['BTC-USD'],
        language: 'de',
        published_at: '2024-01-02T03:04:05.006Z',
      });
      expect(item).toMatchObject({ summary: 'Old words.', url: `${app.url}/docs` });
      const changed = await change(item.news_id, {
        content: '<p>New words.</p>',
        author: null,
        symbols: ['ETH-USD'],
        published_at: '2024-01-03T00:00:00.000Z',
      });
      expect(changed).toEqual({
        ...item,
        content: '<p>New words.</p>',
        summary: 'New words.',
        author: null,
        symbols: ['ETH-USD'],
        published_at: '2024-01-03T00:00:00.000Z',
        updated_at: changed.updated_at,
      });
      const bare = await change(item.news_id, {
        summary: 'Kept.',
        content: null,
        url: null,
        category: null,
        symbols: null,
        language: null,
      });
      expect(bare).toMatchObject({
        ...{ summary: 'Kept.', content: '', url: null, category: null, symbols: [], language: null },
      });
      expect((await reader.get(`/news/${item.news_id}`)).body).toEqual(bare);
      expect(await change(item.news_id, {})).toMatchObject({ headline: item.headline, summary: 'Kept.' });
    });

    it('moves an item to where it belongs now', async () => {
      const item = await write({ headline: 'Aardvark', category: 'Moved', symbols: ['BTC-USD'] });
      await change(item.news_id, {
        headline: 'Buffalo',
        category: 'Elsewhere',
        symbols: ['ETH-USDC'],
        published_at: '2023-01-01T00:00:00.000Z',
      });
      for (const query of ['category=moved', 'q=aardvark', 'symbol=BTC-USD&q=buffalo']) {
        expect(await idsOf(query), query).toEqual([]);
      }
      for (const query of ['category=elsewhere', 'q=buffalo', 'symbol=ETH-USDC&to=2023-02-01T00:00:00Z']) {
        expect(await idsOf(query), query).toEqual([item.news_id]);
      }
    });

    it('is not for what is not there', async () => {
      for (const newsId of ['nws_7ZZZZZZZZZZ', 'nothing']) {
        expect((await operator.patch(`/admin/news/${newsId}`, {})).status).toBe(404);
        expect((await operator.delete(`/admin/news/${newsId}`)).status).toBe(404);
      }
    });
  });

  it('is gone once it is removed, with all that it said', async () => {
    const item = await write({
      headline: 'Walrus',
      content: '<p>walrus</p>',
      category: 'Walruses',
      symbols: ['BTC-USD'],
    });
    expect(await idsOf('symbol=BTC-USD&q=walrus')).toEqual([item.news_id]);
    expect((await operator.delete(`/admin/news/${item.news_id}`)).status).toBe(204);
    expect((await reader.get(`/news/${item.news_id}`)).status).toBe(404);
    expect((await operator.delete(`/admin/news/${item.news_id}`)).status).toBe(404);
    expect((await operator.patch(`/admin/news/${item.news_id}`, {})).status).toBe(404);
    for (const query of ['q=walrus', 'category=walruses', 'symbol=BTC-USD&q=walrus']) {
      expect(await idsOf(query)).toEqual([]);
    }
    const left = await queryOnce(
      app.config.databaseUrl!,
      `SELECT 1 FROM news_items item WHERE item::text ILIKE '%walrus %' OR item.plain_text <> '' AND removed_at IS NOT NULL`,
    );
    expect(left).toEqual([]);
  });

  describe('the list', () => {
    it('is newest first, page by page, whatever is published in between', async () => {
      const days = ['2024-03-03', '2024-03-01', '2024-03-02', '2024-03-02', '2024-03-02'];
      const ids: string[] = [];
      for (const day of days) {
        const { news_id: newsId } = await write({ category: 'Pages', published_at: `${day}T00:00:00.001Z` });
        ids.push(newsId);
      }
      const expected = [0, 4, 3, 2, 1].map((i) => ids[i]);
      for (const limit of [1, 2, 3, 50]) expect(await idsOf('category=pages', limit)).toEqual(expected);
      const first = (await reader.get('/news?category=pages&limit=2')).body;
      await write({ category: 'Pages' });
      const second = (await reader.get(`/news?category=pages&limit=3&cursor=${first.next_cursor}`)).body;
      expect([...first.data, ...second.data].map(({ news_id }: Json) => news_id)).toEqual(expected);
      expect(second.next_cursor).toBeNull();
    });

    it('is filtered by all that is named together', async () => {
      const item = async (headline: string, day: string, fields: Json): Promise<string> =>
        (await write({ headline, published_at: `2022-05-${day}T00:00:00Z`, source: 'Zoo', ...fields }))
          .news_id;
      const a = await item('Zebras running', '01', {
        category: 'Animals',
        symbols: ['BTC-USD'],
        language: 'en',
      });
      const b = await item('Tigers, but no zebra', '02', {
        category: 'Animals',
        symbols: ['BTC-USD', 'ETH-USD'],
        language: 'pt-BR',
      });
      const c = await item('Barcodes', '03', {
        category: 'Things',
        symbols: ['ETH-USD'],
        content: '<p>Stripes for machines.</p>',
        source: 'Zoo 2',
      });
      const inMay = 'to=2022-06-01T00:00:00Z&from=2022-05-01T00:00:00.000Z';
      const expected: [query: string, ids: string[]][] = [
        ['', [c, b, a]],
        ['category=animals', [b, a]],
        ['category=Animals', [b, a]],
        ['category=Nothing', []],
        ['category=!', []],
        ['symbol=BTC-USD', [b, a]],
        ['symbol=ETH-USD', [c, b]],
        ['symbol=ETH-USD&category=animals', [b]],
        ['symbol=NOPE', []],
        ['source=Zoo', [b, a]],
        ['source=zoo', []],
        ['language=pt', [b]],
        ['language=pt-PT', [b]],
        ['language=EN', [a]],
        ['language=nonsense', []],
        ['q=zebras', [b, a]],
        ['q=zebra+-tigers', [a]],
        ['q=%22for+machines%22', [c]],
        ['q=tigers+or+barcodes&symbol=ETH-USD', [c, b]],
      ];
      for (const [query, ids] of expected) {
        for (const limit of [1, 50]) expect(await idsOf(`${inMay}&${query}`, limit), query).toEqual(ids);
      }
      expect(await idsOf('source=Zoo&from=2022-05-02T00:00:00Z')).toEqual([b]);
      expect(await idsOf('source=Zoo&to=2022-05-02T00:00:00Z')).toEqual([a]);
      expect(await idsOf('symbol=BTC-USD&source=Zoo&from=2022-05-02T00:00:00Z')).toEqual([b]);
    });

    it.each(['the', '"', "'", '(', ':*', '&|!', '<->', '\\', '%', '-', '"a', 'x'.repeat(200), '😀'])(
      'takes %j as words',
      async (q) => {
        expect((await reader.get(`/news?q=${encodeURIComponent(q)}`)).status).toBe(200);
      },
    );

    it.each([
      'limit=0',
      'limit=201',
      'q=',
      'q=a&q=b',
      'category=a&category=b',
      'from=yesterday',
      'to=2024-02-31T00:00:00Z',
      'cursor=x',
      `cursor=${Buffer.from('["a",1]').toString('base64url')}`,
      'author=ada',
      'q=%00',
    ])('refuses %s', async (query) => {
      expect((await reader.get(`/news?${query}`)).status).toBe(400);
    });

    it('ends a page early where its texts are large, and loses nothing', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 6; i++) {
        const content = '&'.repeat(99_000);
        ids.unshift((await write({ content, category: 'Large' })).news_id);
      }
      const page = (await reader.get('/news?category=large')).body;
      expect(page.data.length).toBeLessThan(6);
      expect(page.next_cursor).not.toBeNull();
      expect(await idsOf('category=large')).toEqual(ids);
    });
  });
});
