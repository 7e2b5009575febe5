import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFeed, type FeedDocument, type FeedEntry } from './feed-document.js';
import { FeedProblem } from './feed-problem.js';
import { ENTRIES_MAX, ENTRY_LENGTH_MAX } from './feed-split.js';

const URL_OF_FEED = 'https://feeds.example.com/all.xml';

const read = (xml: string): Promise<FeedDocument> => readFeed(xml, URL_OF_FEED);
const entryOf = async (xml: string): Promise<FeedEntry | undefined> => (await read(xml)).entries[0];
const rss = (items: string, channel = '<title>A feed</title>'): string =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>${channel}${items}</channel></rss>`;
const atom = (entries: string, more = ''): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${more}><title>A feed</title><id>urn:x</id>${entries}</feed>`;
/** A feed without a declaration. */
const BARE =
  '<rss version="0.91"><channel><title>A feed</title><item><title>One</title></item></channel></rss>';

describe('readFeed', () => {
  it('reads RSS 2.0', async () => {
    const document = await read(
      rss(
        `<item>
          <title>First &amp; <![CDATA[<b>best</b>]]></title>
          <link>https://example.com/1</link>
          <guid isPermaLink="false">one</guid>
          <pubDate>Mon, 16 Nov 2026 09:00:00 GMT</pubDate>
          <author>ada@example.com (Ada Lovelace)</author>
          <category>Crypto</category><category domain="x">BTC</category>
          <description>In &lt;i&gt;short&lt;/i&gt;.</description>
          <content:encoded><![CDATA[<p>In full.</p>]]></content:encoded>
        </item>
        <item><title>Second</title><link>https://example.com/2</link></item>`,
        `<title>News &amp; notes</title><link>https://example.com/</link><language>en-us</language><ttl>30</ttl>`,
      ),
    );
    expect(document).toMatchObject({ title: 'News & notes', language: 'en-us', ttlMinutes: 30, broken: 0 });
    expect(document.entries).toEqual([
      {
        guid: 'one',
        headline: 'First & <b>best</b>',
        summary: 'In <i>short</i>.',
        content: '<p>In full.</p>',
        author: 'Ada Lovelace',
        url: 'https://example.com/1',
        categories: ['Crypto', 'BTC'],
        publishedAt: 'Mon, 16 Nov 2026 09:00:00 GMT',
        language: undefined,
        baseUrl: 'https://example.com/1',
      },
      expect.objectContaining({
        guid: 'https://example.com/2',
        headline: 'Second',
        content: '',
        summary: '',
      }),
    ]);
  });

  it('reads Atom', async () => {
    const document = await read(
      atom(
        `<entry xml:base="2026/" xml:lang="pt-BR">
          <id>tag:example.com,2026:1</id>
          <title type="html">Fish &amp;amp; &lt;b&gt;chips&lt;/b&gt;</title>
          <link rel="enclosure" href="https://example.com/a.mp3"/>
          <link rel="alternate" href="one"/>
          <updated>2026-11-17T09:00:00Z</updated><published>2026-11-16T09:00:00Z</published>
          <author><name>Ada</name></author>
          <category term="crypto" label="Crypto news"/>
          <summary>1 &lt; 2</summary>
          <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>In <em>full</em>.</p></div></content>
        </entry>`,
        'xml:base="https://example.com/news/" xml:lang="en"',
      ),
    );
    expect(document).toMatchObject({ title: 'A feed', language: 'en' });
    expect(document.entries).toEqual([
      {
        guid: 'tag:example.com,2026:1',
        headline: 'Fish &amp; <b>chips</b>',
        summary: '1 &lt; 2',
        content: '<p>In <em>full</em>.</p>',
        author: 'Ada',
        url: 'https://example.com/news/2026/one',
        categories: ['Crypto news', 'crypto'],
        publishedAt: '2026-11-16T09:00:00Z',
        language: 'pt-BR',
        baseUrl: 'https://example.com/news/2026/',
      },
    ]);
  });

  it('reads RDF', async () => {
    const document = await read(
      `<?xml version="1.0"?>
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="https://example.com/"><title>Old school</title><link>https://example.com/</link>
          <items><rdf:Seq><rdf:li rdf:resource="https://example.com/1"/></rdf:Seq></items></channel>
        <item rdf:about="https://example.com/1"><title>One</title><link>https://example.com/1</link>
          <description>Text</description><dc:date>2026-11-16</dc:date><dc:subject>ETH</dc:subject>
          <dc:creator>Ada</dc:creator></item>
      </rdf:RDF>`,
    );
    expect(document.title).toBe('Old school');
    expect(document.entries).toEqual([
      expect.objectContaining({
        guid: 'https://example.com/1',
        headline: 'One',
        content: 'Text',
        author: 'Ada',
        categories: ['ETH'],
        publishedAt: '2026-11-16',
      }),
    ]);
  });

  it.each([
    ['RSS 0.91', BARE],
    [
      'capitals',
      '<RSS VERSION="2.0"><CHANNEL><TITLE>x</TITLE><ITEM><TITLE>One</TITLE></ITEM></CHANNEL></RSS>',
    ],
    [
      'a prefix',
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>One</a:title></a:entry></a:feed>',
    ],
    [
      'an unended channel',
      '<rss version="2.0"><channel><title>A feed</title><item><title>One</title></item>',
    ],
    ['a cut off entry', rss('<item><title>One</title></item><item><title>Tw').replace(/Tw.*$/s, 'Tw')],
    ['unknown entities', rss('<item><title>One</title><description>&nbsp;&bogus; A&B</description></item>')],
    ['comments', rss('<!-- <item><title>No</title></item> --><item><title>One</title></item>')],
    [
      'CDATA that looks like tags',
      rss('<item><title>One</title><description><![CDATA[</item><item>]]></description></item>'),
    ],
    [
      'an entity bomb',
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${rss('<item><title>One</title><description>&b;</description></item>').replace('<?xml version="1.0"?>', '')}`,
    ],
    [
      'the document type of old feeds',
      `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/rss-0.91.dtd">${BARE}`,
    ],
    ['white space before the declaration', `\n  ${rss('<item><title>One</title></item>')}`],
    ['an empty element', rss('<item/><item><title>One</title></item>')],
  ])('takes %s', async (_what, xml) => {
    const { entries } = await read(xml);
    expect(entries.map(({ headline }) => headline)).toContain('One');
    expect(JSON.stringify(entries)).not.toMatch(/a{20}/);
  });

  it('leaves out only the entries that are broken', async () => {
    const document = await read(
      rss(
        '<item><title>One</title></item><item><title>5 < 6 & 7</title></item><item><title>Three</title></item>',
      ),
    );
    expect(document.entries.map(({ headline }) => headline)).toEqual(['One', 'Three']);
    expect(document.broken).toBe(1);
  });

  it('leaves out entries that are far too long', async () => {
    const long = `<item><title>Long</title><description>${'x'.repeat(ENTRY_LENGTH_MAX)}</description></item>`;
    const document = await read(rss(`${long}<item><title>One</title></item>`));
    expect(document.entries.map(({ headline }) => headline)).toEqual(['One']);
    expect(document.broken).toBe(1);
  });

  it('reads a bounded number of entries', async () => {
    const items = Array.from({ length: ENTRIES_MAX + 100 }, (_, i) => `<item><title>${i}</title></item>`);
    const { entries } = await read(rss(items.join('')));
    expect(entries.map(({ headline }) => headline)).toEqual(
      Array.from({ length: ENTRIES_MAX }, (_, i) => String(i)),
    );
  });

  it('leaves the process to others while it reads ten megabytes', async () => {
    const item = (i: number): string =>
      `<item><title>${i}</title><guid>${i}</guid><description>${'&lt;p&gt;Text.&lt;/p&gt;'.repeat(800)}</description></item>`;
    const xml = rss(Array.from({ length: 500 }, (_, i) => item(i)).join(''));
    expect(xml.length).toBeGreaterThan(9_000_000);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const { entries } = await read(xml);
    clearInterval(timer);
    expect(entries.length).toBe(500);
    expect(turns).toBeGreaterThan(10);
  });

  it('knows entries without an id by their address, else by headline and time', async () => {
    const { entries } = await read(
      rss('<item><title>a</title><pubDate>then</pubDate></item><item><title>b</title><link>/b</link></item>'),
    );
    expect(entries.map(({ guid }) => guid)).toEqual(['a\nthen', '/b']);
  });

  it.each([
    ['<item><guid>https://example.com/1</guid></item>', 'https://example.com/1'],
    ['<item><guid isPermaLink="false">https://example.com/1</guid></item>', undefined],
    ['<item><guid>1234</guid></item>', undefined],
    ['<item><title>a</title><atom:link href="https://example.com/2"/></item>', 'https://example.com/2'],
  ])('finds the address in %s', async (item, url) => {
    expect((await entryOf(rss(item)))?.url).toBe(url);
  });

  it('tells no mail addresses', async () => {
    expect(
      (await entryOf(rss('<item><title>a</title><author>ada@example.com</author></item>')))?.author,
    ).toBe(undefined);
  });

  it.each([
    ['nothing', ''],
    ['a page', '<!doctype html><html><head><title>x</title></head><body><p>Hello</body></html>'],
    ['text', 'Service unavailable'],
    ['an external entity', `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${BARE}`],
    ['other XML', '<opml version="2.0"><body/></opml>'],
    ['broken tags', `<rss version="2.0"><channel>${'<'.repeat(100_000)}`],
    ['nothing but broken entries', rss('<item><title>5 < 6</title></item>')],
    ['tags without end', '<item '.repeat(200_000)],
    ['comments without end', `<rss version="2.0">${'<!--'.repeat(200_000)}`],
    ['depth', `<rss version="2.0"><channel>${'<a>'.repeat(60_000)}`],
  ])('refuses %s', async (_what, text) => {
    const outcome = await read(text).catch((error: unknown) => error);
    if (outcome instanceof FeedProblem) expect(outcome.message).toMatch(/^[A-Z].*\.$/);
    else expect(outcome).toMatchObject({ entries: [] });
  });

  it('never fails in another way', async () => {
    const piece = fc.constantFrom(
      ...[
        '<rss version="2.0">',
        '<channel>',
        '<item>',
        '</item>',
        '<title>',
        '</title>',
        '</channel>',
        '</rss>',
      ],
      ...[
        '<![CDATA[',
        ']]>',
        '<!--',
        '-->',
        '<item/>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        '<entry>',
      ],
      ...[
        '</entry>',
        '</feed>',
        '&amp;',
        '&#x0;',
        '<',
        '>',
        '"',
        'text',
        '<__proto__>',
        '<guid isPermaLink=>',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const outcome = await read(pieces.join('')).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(FeedProblem);
      }),
    );
  });

  const json = (items: unknown[], more: object = {}): string =>
    JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'Fish & <chips>', items, ...more });

  it('reads JSON Feed 1.1', async () => {
    const document = await read(
      json(
        [
          {
            id: '1',
            url: '/one',
            title: 'One < two',
            content_html: '<p>In <em>full</em>.</p>',
            summary: 'In short',
            date_published: '2026-11-16T09:00:00+01:00',
            authors: [{ name: 'Ada' }],
            tags: ['Crypto', ''],
            language: 'pt',
          },
          { id: '2', content_text: '1 < 2', external_url: 'https://elsewhere.example/2' },
        ],
        { language: 'en', home_page_url: 'https://example.com/' },
      ),
    );
    expect(document).toEqual({
      title: 'Fish &amp; &lt;chips&gt;',
      language: 'en',
      ttlMinutes: undefined,
      broken: 0,
      beyond: 0,
      entries: [
        {
          guid: '1',
          headline: 'One &lt; two',
          summary: 'In short',
          content: '<p>In <em>full</em>.</p>',
          author: 'Ada',
          url: '/one',
          categories: ['Crypto'],
          publishedAt: '2026-11-16T09:00:00+01:00',
          language: 'pt',
          baseUrl: 'https://example.com/one',
        },
        expect.objectContaining({
          guid: '2',
          headline: '',
          content: '1 &lt; 2',
          url: 'https://elsewhere.example/2',
        }),
      ],
    });
  });

  it('counts what it cannot read of a JSON Feed, and what is too much', async () => {
    const items = Array.from({ length: ENTRIES_MAX + 2 }, (_, i) => ({ id: `${i}`, title: `No. ${i}` }));
    expect(await read(json(['x', {}, ...items]))).toMatchObject({ broken: 2, beyond: 2 });
    await expect(read(json([1, {}]))).rejects.toThrow('None of its entries can be read.');
  });

  it.each([
    '{"a": 1}',
    '{',
    '{"version": "https://example.com/1", "items": []}',
    `{"title": "${'x'.repeat(2_000_001)}"}`,
  ])('refuses JSON that is no JSON Feed: %.50s', async (text) => {
    await expect(read(text)).rejects.toThrow(FeedProblem);
  });

  it('tells entries apart that share an address and have no id, and those alone', async () => {
    const note = (title: string, more = '') =>
      `<item><title>${title}</title><link>https://example.com/notes</link>${more}</item>`;
    const { entries } = await read(rss(note('One') + note('Two') + note('Three')));
    expect(new Set(entries.map(({ guid }) => guid)).size).toBe(3);
    const same = await read(rss(note('One', '<guid>1</guid>') + note('Two', '<guid>1</guid>')));
    expect(same.entries.map(({ guid }) => guid)).toEqual(['1', '1']);
  });

  it('counts entries beyond those that it reads', async () => {
    const items = Array.from({ length: ENTRIES_MAX + 3 }, (_, i) => `<item><title>${i}</title></item>`);
    expect(await read(rss(items.join('')))).toMatchObject({ beyond: 3 });
  });
});
