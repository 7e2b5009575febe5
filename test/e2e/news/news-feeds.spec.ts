import { gzipSync } from 'node:zlib';
import { parseFragment } from 'parse5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { FeedServer, rssOf } from '../../support/feed-server.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { verified, WebhookReceiver } from '../../support/webhook-receiver.js';

/** Each test has feeds of its own. */
const PATHS = Array.from({ length: 27 }, (_, i) => `/feed-${i}.xml`);

describe('feeds', () => {
  let host: FeedServer;
  let app: TestApp;
  let operator: Caller;
  let reader: Caller;
  let unused: string[];
  beforeAll(async () => {
    host = await FeedServer.start();
    app = await startTestApp({
      environment: { NEWS_FEEDS: PATHS.map((path) => host.url(path)).join() },
      webhookAllowPrivate: true,
    });
    operator = await callerFor(app.url, 'admin');
    reader = new Caller(app.url);
    unused = [...PATHS];
    // The first poll, before the feed exists.
    await eventually(
      async () => (await feeds()).every(({ polled_at }) => polled_at !== null),
      'every feed has been polled',
    );
  });
  afterAll(async () => {
    await app.close();
    await host.close();
  });

  const feeds = (): Promise<Json[]> => operator.walk('/admin/news/feeds', 10);
  const feedAt = async (path: string): Promise<Json> =>
    (await feeds()).find(({ url }: Json) => url === host.url(path));
  const nextPath = (): string => unused.shift()!;

  /** Polls a feed, and returns its state afterwards. */
  const poll = async (path: string): Promise<Json> => {
    const before = await feedAt(path);
    expect((await operator.post(`/admin/news/feeds/${before.feed_id}/poll`, {})).status).toBe(202);
    // Importing many entries is slow on a busy machine.
    return eventually(async () => {
      const feed = await feedAt(path);
      expect(feed.polled_at > before.polled_at, path).toBe(true);
      return feed;
    });
  };
  const publish = (path: string, ...items: string[]): Promise<Json> => {
    host.answer(path, { body: rssOf(...items) });
    return poll(path);
  };
  const search = (words: string): Promise<Json[]> => reader.walk(`/news?q=${encodeURIComponent(words)}`, 50);

  it('bring news', async () => {
    const feed = await publish(
      nextPath(),
      `<title>Ether &amp;amp; &lt;b&gt;bitcoin&lt;/b&gt; up: giraffe</title>
       <link>/story?from=rss</link><guid isPermaLink="false">1</guid><author>a@example.com (Ada Lovelace)</author>
       <category>Network fees</category><category>BTC</category><category>RAIN-LISBON</category>
       <pubDate>Mon, 16 Nov 2020 09:00:00 CET</pubDate>
       <description>&lt;p&gt;In short&lt;/p&gt;</description>
       <content:encoded><![CDATA[<p>In <em>full</em>, <a href="more">more</a>.</p>]]></content:encoded>`,
    );
    expect(feed).toEqual({
      feed_id: expect.stringMatching(/^nfd_[0-9A-Z]{11}$/),
      url: feed.url,
      current_url: feed.url,
      title: 'Example & Sons',
      status: 'ok',
      http_status: 200,
      problem: null,
      failures: 0,
      polled_at: expect.any(String),
      succeeded_at: feed.polled_at,
      next_poll_at: expect.any(String),
    });
    const [item, ...others] = await search('giraffe');
    expect(others).toEqual([]);
    expect(item).toEqual({
      news_id: expect.stringMatching(/^nws_/),
      headline: 'Ether & bitcoin up: giraffe',
      summary: 'In short',
      content: '<p>In <em>full</em>, <a href="https://example.com/more">more</a>.</p>',
      author: 'Ada Lovelace',
      url: 'https://example.com/story?from=rss',
      source: '127.0.0.1',
      category: 'network-fees',
      symbols: ['BTC-USD', 'RAIN-LISBON'],
      language: 'en',
      published_at: '2020-11-16T08:00:00.000Z',
      updated_at: expect.any(String),
    });
    expect(await reader.walk('/news?symbol=RAIN-LISBON&q=giraffe', 50)).toEqual([item]);
  });

  it('find markets in headlines only where they cannot mean anything else', async () => {
    await publish(
      nextPath(),
      '<title>$ETH falls, hippo one</title>',
      '<title>ETH, USD and RAIN-LISBON, hippo two</title>',
      '<title>BTC at 50-50: hippo three $USD $eth</title>',
    );
    const items = await search('hippo');
    expect(
      Object.fromEntries(items.map(({ headline, symbols: all }: Json) => [headline.slice(0, 3), all])),
    ).toEqual({
      $ET: ['ETH-USD', 'ETH-USDC'],
      ETH: ['RAIN-LISBON'],
      BTC: [],
    });
  });

  it('bring each entry once, by its guid and by what it says', async () => {
    const [one, two] = [nextPath(), nextPath()];
    const text =
      'The okapi has been seen in the market, where nobody had expected it to be seen this year. '.repeat(2);
    const story = (guid: string): string =>
      `<title>Okapi seen</title><guid isPermaLink="false">${guid}</guid><description>${text}</description>`;
    await publish(one, story('a'));
    await publish(one, story('a'));
    const items = await search('okapi');
    expect(items.length).toBe(1);
    // The same story under a new guid, and in another feed, both with other items.
    await publish(one, story('b'), story('b'), '<title>Okapi gone</title><guid>c</guid>');
    await publish(two, story('z'));
    expect((await search('okapi seen')).map(({ news_id }: Json) => news_id)).toEqual([items[0].news_id]);
    expect((await search('okapi gone')).length).toBe(1);
    // Short texts are too little evidence of equality.
    await publish(
      two,
      story('z'),
      '<title>Okapi daily</title><link>/1</link>',
      '<title>Okapi daily</title><link>/2</link>',
    );
    expect((await search('okapi daily')).length).toBe(2);
  });

  it('bring the same stories at the same time, and each is there once', async () => {
    const stories = Array.from({ length: 30 }, (_, i) => {
      const text = `Kakapo number ${i} has been counted. `.repeat(5);
      return `<title>Kakapo ${i}</title><description>${text}</description>`;
    });
    const [one, two] = [nextPath(), nextPath()];
    await Promise.all([publish(one, ...stories), publish(two, ...stories.toReversed())]);
    const headlines = (await search('kakapo')).map(({ headline }: Json) => headline);
    expect(headlines.length).toBe(30);
    expect(new Set(headlines).size).toBe(30);
  });

  it('tell webhooks of what is new and what has changed, once', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      const demo = await callerFor(app.url, 'demo');
      const registered = await demo.post('/news/webhooks', { url: receiver.url(), filter: { q: 'civet' } });
      expect(registered, JSON.stringify(registered.body)).toMatchObject({ status: 201 });
      const told = (): Json[] =>
        receiver.arrivals
          .map((arrival) => verified(arrival, registered.body.secret))
          .map(({ type, data }) => [type, data.headline]);
      const path = nextPath();
      const story =
        '<title>Civet seen</title><guid>1</guid><description>&lt;a href="/?r=1"&gt;x&lt;/a&gt;</description>';
      await publish(path, story, '<title>Another one</title>');
      await publish(path, story);
      // Another address in the text is stored, but no event is published.
      await publish(path, story.replace('r=1', 'r=2'));
      expect((await search('civet'))[0].content).toContain('r=2');
      await publish(path, story.replace('seen', 'gone'));
      const [{ news_id: newsId }] = await search('civet');
      await operator.delete(`/admin/news/${newsId}`);
      await eventually(() => Promise.resolve(receiver.arrivals.length >= 3), 'all is told');
      expect(told()).toEqual(
        expect.arrayContaining([
          ['news.published', 'Civet seen'],
          ['news.updated', 'Civet gone'],
          ['news.removed', 'Civet gone'],
        ]),
      );
      expect(receiver.arrivals.length).toBe(3);
    } finally {
      await receiver.close();
    }
  });

  it('change what they brought, unless an operator did', async () => {
    const path = nextPath();
    const entry = (title: string, more = ''): string =>
      `<title>${title}</title><guid>1</guid><pubDate>Mon, 16 Nov 2020 09:00:00 GMT</pubDate>${more}`;
    await publish(path, entry('Narwhal sighted'));
    const [item] = await search('narwhal');
    await publish(path, entry('Narwhal sighted again', '<category>Sea</category>'));
    const [changed] = await search('narwhal');
    expect(changed).toEqual({
      ...item,
      headline: 'Narwhal sighted again',
      category: 'sea',
      updated_at: expect.any(String),
    });
    expect(changed.updated_at > item.updated_at).toBe(true);
    // A difference invisible to readers is no change.
    await publish(path, entry('Narwhal  sighted again', '<category>Sea</category><comments>x</comments>'));
    expect(await search('narwhal')).toEqual([changed]);

    const { body } = await operator.patch(`/admin/news/${item.news_id}`, { headline: 'Narwhal, corrected' });
    await publish(path, entry('Narwhal sighted thrice'));
    expect(await search('narwhal')).toEqual([body]);

    expect((await operator.delete(`/admin/news/${item.news_id}`)).status).toBe(204);
    await publish(path, entry('Narwhal back'), '<title>Narwhal friend</title><guid>2</guid>');
    expect((await search('narwhal')).map(({ headline }: Json) => headline)).toEqual(['Narwhal friend']);
  });

  it('are not read again while they have not changed', async () => {
    const path = nextPath();
    const validators = { etag: '"v1"', 'last-modified': 'Mon, 16 Nov 2026 09:00:00 GMT' };
    host.answer(path, { body: rssOf('<title>Tapir</title>'), headers: validators });
    await poll(path);
    expect(host.at(path).at(-1)?.headers).not.toHaveProperty('if-none-match');
    host.answer(path, { status: 304 });
    expect(await poll(path)).toMatchObject({ status: 'ok', http_status: 304, title: 'Example & Sons' });
    expect(host.at(path).at(-1)?.headers).toMatchObject({
      'if-none-match': '"v1"',
      'if-modified-since': validators['last-modified'],
      accept: expect.stringContaining('application/rss+xml'),
    });
    host.answer(path, { status: 500 });
    expect(await poll(path)).toMatchObject({ status: 'failing' });
    host.answer(path, { status: 304 });
    expect(await poll(path)).toMatchObject({ status: 'ok', problem: null });
    await publish(path, '<title>Tapir two</title>');
    await publish(path, '<title>Tapir two</title>');
    expect(host.at(path).at(-1)?.headers).not.toHaveProperty('if-none-match');
  });

  it('are followed where they went, for good only where that was said', async () => {
    const [path, next, last] = [nextPath(), '/moved.xml', '/for-now.xml'];
    host.answer(path, { status: 301, headers: { location: next } });
    host.answer(next, { status: 302, headers: { location: host.url(last) } });
    host.answer(last, { body: rssOf('<title>Quokka</title>') });
    expect(await poll(path)).toMatchObject({ status: 'ok', current_url: host.url(next) });
    const asked = host.at(path).length;
    await poll(path);
    expect(host.at(path).length).toBe(asked);
    expect((await search('quokka')).length).toBe(1);
    // If that fails, the address that the operator gave is tried again.
    host.answer(next, { status: 500 });
    expect(await poll(path)).toMatchObject({ status: 'failing', current_url: host.url(path) });
    host.answer(path, { status: 302, headers: { location: path } });
    expect(await poll(path)).toMatchObject({
      http_status: null,
      problem: expect.stringContaining('redirects'),
    });
    host.answer(path, { status: 302, headers: { location: 'ftp://example.com/x' } });
    expect(await poll(path)).toMatchObject({ status: 'failing' });
  });

  it('are left alone for longer and longer while they fail, and as long as they ask for', async () => {
    const path = nextPath();
    const pauseMs = ({ next_poll_at, polled_at }: Json): number =>
      Date.parse(next_poll_at) - Date.parse(polled_at);
    host.answer(path, { body: rssOf() });
    expect(pauseMs(await poll(path))).toBeGreaterThanOrEqual(600_000);
    host.answer(path, { status: 500 });
    const pauses: number[] = [];
    for (let i = 1; i <= 3; i++) {
      const feed = await poll(path);
      expect(feed).toMatchObject({
        status: 'failing',
        failures: i,
        http_status: 500,
        problem: 'It answered with status 500.',
      });
      pauses.push(pauseMs(feed));
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    host.answer(path, { status: 503, headers: { 'retry-after': '36000' } });
    expect(pauseMs(await poll(path))).toBeGreaterThanOrEqual(36_000_000);
    host.answer(path, { status: 503, headers: { 'retry-after': 'soon' } });
    expect(await poll(path)).toMatchObject({
      problem: 'It answered with status 503. Its Retry-After is not understood: "soon".',
    });
    host.answer(path, { body: rssOf('<title>Lemur</title>'), headers: { 'cache-control': 'max-age=1800' } });
    const feed = await poll(path);
    expect(feed).toMatchObject({ status: 'ok', failures: 0, problem: null });
    expect(pauseMs(feed)).toBeGreaterThanOrEqual(1_800_000);
  });

  it('are polled no more once they are gone, unless an operator asks', async () => {
    const path = nextPath();
    host.answer(path, { status: 410 });
    expect(await poll(path)).toMatchObject({ status: 'gone', next_poll_at: null });
    await eventually(async () => {
      const jobs = await queryOnce(
        app.config.databaseUrl!,
        'SELECT 1 FROM graphile_worker.jobs WHERE key = $1',
        [`news.poll_feed:${PATHS.indexOf(path) + 1}`],
      );
      return jobs.length === 0;
    }, 'no poll is due');
    expect(await publish(path, '<title>Back</title>')).toMatchObject({ status: 'ok' });
  });

  it('bring each of the items that share a link', async () => {
    const link = '<link>https://example.com/notes</link>';
    const titles = ['Okapia one', 'Okapia two', 'Okapia three'];
    const notes = titles.map((title) => `<title>${title}</title>${link}`);
    const path = nextPath();
    expect(await publish(path, ...notes)).toMatchObject({ status: 'ok', problem: null });
    await publish(path, ...notes.slice(1));
    expect((await search('okapia')).map(({ headline }: Json) => headline).sort()).toEqual(titles.sort());
  });

  it('say what of them was left out', async () => {
    const feed = await publish(
      nextPath(),
      '<title>Dugong</title><guid>1</guid><pubDate>Mon, 16 Nov 2020 09:00:00 XYZT</pubDate>',
      '<title>Dugong, otherwise</title><guid>1</guid>',
      '<guid>2</guid>',
    );
    expect(feed).toMatchObject({
      status: 'ok',
      problem:
        'Entries without any text: 1. Entries with the id of another one, of which the first counts: 1. ' +
        'Entries from when they came here, since their time is not understood or lies ahead ("Mon, 16 Nov 2020 09:00:00 XYZT"): 1.',
    });
  });

  it('bring news as JSON Feeds', async () => {
    const path = nextPath();
    const item = {
      id: '1',
      title: 'Saiga',
      content_text: 'In the steppe',
      date_published: '2020-11-16T09:00:00Z',
    };
    host.answer(path, {
      body: JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'Steppe', items: [item] }),
      headers: { 'content-type': 'application/feed+json' },
    });
    expect(await poll(path)).toMatchObject({ status: 'ok', title: 'Steppe', problem: null });
    expect(await search('saiga')).toMatchObject([
      { headline: 'Saiga', published_at: '2020-11-16T09:00:00.000Z' },
    ]);
    host.answer(path, { body: '{"items": []}' });
    expect(await poll(path)).toMatchObject({
      status: 'failing',
      problem: expect.stringContaining('no JSON Feed'),
    });
  });

  it('have their say about time believed only as far as it can be true', async () => {
    const begun = new Date().toISOString();
    await publish(
      nextPath(),
      '<title>Ibex past</title><pubDate>Mon, 16 Nov 2020 09:00:00 -0500</pubDate>',
      '<title>Ibex future</title><pubDate>Mon, 16 Nov 2099 09:00:00 GMT</pubDate>',
      '<title>Ibex never</title><pubDate>Smarch 13th</pubDate>',
      '<title>Ibex epoch</title><pubDate>Thu, 01 Jan 1970 00:00:00 GMT</pubDate>',
      '<title>Ibex silent</title>',
    );
    const items = await search('ibex');
    // Without times, the first item in the feed is the newest.
    expect(items.map(({ headline }: Json) => headline)).toEqual([
      ...['Ibex future', 'Ibex never', 'Ibex epoch', 'Ibex silent', 'Ibex past'],
    ]);
    for (const { published_at } of items.slice(0, 4)) {
      expect(published_at >= begun && published_at <= new Date().toISOString()).toBe(true);
    }
    expect(items[4].published_at).toBe('2020-11-16T14:00:00.000Z');
  });

  it('are read in whatever encoding they come', async () => {
    const text = (word: string): string => rssOf(`<title>Gnu ${word}</title>`);
    const sent: [path: string, body: Buffer, headers: Record<string, string>][] = [
      [nextPath(), Buffer.from(text('café'), 'latin1'), { 'content-type': 'text/xml; charset=iso-8859-1' }],
      [nextPath(), Buffer.from(`\uFEFF${text('日本')}`, 'utf16le'), { 'content-type': 'text/xml' }],
      [nextPath(), gzipSync(text('zipped')), { 'content-encoding': 'gzip' }],
    ];
    for (const [path, body, headers] of sent) {
      host.answer(path, { body, headers });
      expect(await poll(path)).toMatchObject({ status: 'ok' });
    }
    expect((await search('gnu')).map(({ headline }: Json) => headline).sort()).toEqual([
      ...['Gnu café', 'Gnu zipped', 'Gnu 日本'],
    ]);
  });

  it('do no harm, whatever they answer', async () => {
    const path = nextPath();
    const answers: [body: string | Buffer, headers?: Record<string, string>][] = [
      [''],
      ['<html><body>Not here</body></html>'],
      [rssOf('<title>5 < 6</title>')],
      ['x'.repeat(11 * 1024 * 1024)],
      [gzipSync(Buffer.alloc(20 * 1024 * 1024, 'x')), { 'content-encoding': 'gzip' }],
      ['not gzip', { 'content-encoding': 'gzip' }],
      ['x', { 'content-encoding': 'br' }],
      ['<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss version="2.0"><channel/></rss>'],
    ];
    for (const [body, headers = {}] of answers) {
      host.answer(path, { body, headers });
      expect(await poll(path)).toMatchObject({
        status: 'failing',
        problem: expect.stringMatching(/^[A-Z].*\.$/),
      });
    }
    expect(await publish(path, '<title>Dodo</title>')).toMatchObject({ status: 'ok' });
  });

  it('show nothing that acts by itself', async () => {
    const hostile = [
      ...['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<a href="javascript:alert(1)">a</a>'],
      ...['<svg onload=alert(1)><script>1</script></svg>', '<iframe src="https://evil.example"></iframe>'],
      ...['<a href="data:text/html,x">a</a>', '<img src="data:image/svg+xml;base64,PHN2Zz4=">'],
      ...['<form action="/orders"><input></form>', '<p style="position:fixed" id=x class=y onclick=1>p</p>'],
      ...['<math><mi xlink:href="javascript:1">x</mi></math>', '<scr<script>ipt>alert(1)</scr</script>ipt>'],
      ...['<object data=x></object><embed src=x><base href="https://evil.example"><meta http-equiv=refresh>'],
    ].join('\n');
    await publish(
      nextPath(),
      `<title><![CDATA[Stoat ${hostile}]]></title><link>javascript:alert(1)</link>
       <author><![CDATA[${hostile} Eve]]></author>
       <description><![CDATA[${hostile}]]></description><content:encoded><![CDATA[${hostile}]]></content:encoded>`,
    );
    const [item] = await search('stoat');
    expect(item.url).toBeNull();
    for (const text of [item.headline, item.summary, item.author]) expect(text).not.toMatch(/<\w/);
    const pending: Json[] = [...parseFragment(item.content).childNodes];
    for (let node = pending.pop(); node; node = pending.pop()) {
      if (!node.tagName) continue;
      expect(['p', 'a', 'img', 'em']).toContain(node.tagName);
      for (const { name, value } of node.attrs) {
        expect(['href', 'src']).toContain(name);
        expect(value).toMatch(/^https:\/\/example\.com\//);
      }
      pending.push(...node.childNodes);
    }
  });

  it('are looked after by operators alone', async () => {
    const demo = await callerFor(app.url, 'demo');
    for (const caller of [reader, demo]) {
      const expected = caller === reader ? 401 : 403;
      expect((await caller.get('/admin/news/feeds')).status).toBe(expected);
      expect((await caller.post('/admin/news/feeds/nfd_00000000001/poll', {})).status).toBe(expected);
    }
    for (const feedId of ['nfd_7ZZZZZZZZZZ', 'nothing']) {
      expect((await operator.post(`/admin/news/feeds/${feedId}/poll`, {})).status).toBe(404);
    }
  });
});

describe('feeds of another start', () => {
  let host: FeedServer;
  let database: TestDatabase;
  beforeAll(async () => {
    [host, database] = await Promise.all([FeedServer.start(), createTestDatabase()]);
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  const start = (paths: string[], webhookAllowPrivate: boolean): Promise<TestApp> =>
    startTestApp({
      databaseUrl: database.url,
      environment: { NEWS_FEEDS: paths.map((path) => host.url(path)).join() },
      webhookAllowPrivate,
    });
  const feeds = async (app: TestApp): Promise<Json[]> =>
    (await callerFor(app.url, 'admin')).walk('/admin/news/feeds', 50);

  it('are those that the settings name by then, and what the former ones brought stays', async () => {
    for (const path of ['/a', '/b', '/c'])
      host.answer(path, { body: rssOf(`<title>Axolotl ${path}</title>`) });
    const first = await start(['/a', '/b'], true);
    await eventually(
      async () => (await feeds(first)).every(({ status }) => status === 'ok'),
      'both are read',
    );
    // A feed that does not answer blocks neither the service nor its stop.
    host.answer('/a', 'hang');
    const operator = await callerFor(first.url, 'admin');
    const [{ feed_id: hanging }, { feed_id: other, polled_at: polledAt }] = await feeds(first);
    await operator.post(`/admin/news/feeds/${hanging}/poll`, {});
    await operator.post(`/admin/news/feeds/${other}/poll`, {});
    await eventually(async () => (await feeds(first))[1].polled_at > polledAt, 'the other one is polled');
    await first.close();

    const second = await start(['/b', '/c'], false);
    try {
      expect((await feeds(second)).map(({ url }) => url)).toEqual([host.url('/b'), host.url('/c')]);
      const items = await new Caller(second.url).walk('/news?q=axolotl', 50);
      expect(items.map(({ headline }: Json) => headline).sort()).toEqual(['Axolotl /a', 'Axolotl /b']);
      // Private addresses are refused unless the settings allow them.
      await eventually(async () => (await feeds(second))[1].status === 'failing', 'the new one is refused');
      expect((await feeds(second))[1]).toMatchObject({
        http_status: null,
        problem: 'Its host is not on the public Internet.',
      });
      expect(host.at('/c')).toEqual([]);
    } finally {
      await second.close();
    }
  });
});
