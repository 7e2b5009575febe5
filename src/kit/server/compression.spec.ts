import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Controller, Get, Header, Param, Post, Query, Res } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { logged, startProbe } from '../../../test/support/http-probe.js';
import { rawAnswer, type RawAnswer } from '../../../test/support/raw-answer.js';
import { eventually } from '../../../test/support/eventually.js';
import { CONFLICT } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { revalidated } from '../http/conditional.js';
import { type Page, PageQueryDto } from '../http/pagination.js';
import { CsvRows } from '../http/csv/csv-rows.js';
import { EncodedEvent } from '../realtime/encoded-event.js';
import { EventStreamConnection } from '../realtime/event-stream-connection.js';

/** Some 60 bytes each. */
const rows = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ id: `row_${i}`, price: `${i * 1.37}`, status: 'open' }));

type Rows = Page<object>;

/** The tests say when the next page of an export is there, and what a stream tells. */
let pages: Promise<Rows>[] = [];
let streams: EventStreamConnection[] = [];
let pagesRead = 0;

@Controller()
class RowsController {
  @Get('rows/:count')
  rows(@Param('count') count: string): object {
    return { data: rows(Number(count)) };
  }

  @Post('rows/:count')
  made(@Param('count') count: string): object {
    return { data: rows(Number(count)) };
  }

  @Get('tagged')
  tagged(@Res({ passthrough: true }) response: Response): object {
    return revalidated(response, rows(100));
  }

  @Get('strong')
  @Header('ETag', '"1"')
  strong(): object {
    return rows(100);
  }

  @Get('secrets')
  @Header('Cache-Control', 'private, no-store')
  secrets(@Query() { cursor }: PageQueryDto): object {
    return { cursor, secrets: rows(100) };
  }

  @Get('images')
  @Header('Content-Type', 'image/png')
  image(@Res() response: Response): void {
    response.end(Buffer.alloc(5_000));
  }

  @Get('refusal')
  refuse(): never {
    throw new ApiError(CONFLICT, 'x'.repeat(5_000));
  }

  @Get('exports')
  @CsvRows(['id', 'price', 'status'])
  export(@Query() { cursor }: PageQueryDto): Promise<unknown> {
    pagesRead++;
    return pages[Number(cursor ?? 0)]!;
  }

  @Get('events')
  events(@Res() response: Response): void {
    streams.push(new EventStreamConnection(response));
  }
}

let app: NestExpressApplication;
let url: string;
beforeAll(async () => {
  app = await startProbe({ controllers: [RowsController] });
  url = await app.getUrl();
});
afterAll(() => app.close());
beforeEach(() => {
  logged.length = 0;
  pages = [];
  streams = [];
  pagesRead = 0;
});

const ask = (path: string, accepted?: string | string[], method = 'GET'): Promise<RawAnswer> =>
  rawAnswer(url + path, accepted === undefined ? {} : { 'accept-encoding': accepted }, method);

/** A page that is there when the test says so. */
function comingPage() {
  let resolve!: (page: Rows) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Rows>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { promise, resolve, reject };
}

/** An answer that is read as it comes, whatever its encoding. */
async function open(path: string, accepted: string, accept = '*/*') {
  const sent = httpRequest(url + path, { headers: { 'accept-encoding': accepted, accept } }).end();
  sent.on('error', () => undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  const encoding = response.headers['content-encoding'];
  const plain =
    encoding === 'br'
      ? response.pipe(createBrotliDecompress())
      : encoding === 'gzip'
        ? response.pipe(createGunzip())
        : response;
  let text = '';
  plain.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  return { response, encoding, text: () => text, close: () => sent.destroy() };
}

/** The probe has CORS. */
const VARY = 'Origin, Accept-Encoding';

const ENCODINGS = [
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const;

describe.each(ENCODINGS)('a client that takes %s', (encoding, decompress) => {
  it('gets what is large in it, and the same', async () => {
    const plain = await ask('/rows/200');
    const { status, headers, bytes } = await ask('/rows/200', encoding);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: VARY });
    expect(headers).not.toHaveProperty('content-length');
    expect(plain.headers).toMatchObject({
      vary: VARY,
      'content-length': `${plain.bytes.length}`,
    });
    expect(decompress(bytes)).toEqual(plain.bytes);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
  });

  it('gets what is small as it is', async () => {
    const { headers, bytes } = await ask('/rows/2', encoding);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers['content-length']).toBe(`${bytes.length}`);
  });

  it('gets the assets of Swagger UI in it', async () => {
    for (const path of ['/docs/explorer.js', '/docs/swagger-ui.css']) {
      const { headers, bytes } = await ask(path, encoding);
      expect(headers['content-encoding'], path).toBe(encoding);
      expect(decompress(bytes), path).toEqual((await ask(path)).bytes);
    }
  });

  it('gets a large failure in it', async () => {
    const { status, headers, bytes } = await ask('/refusal', encoding);
    expect(status).toBe(409);
    expect(headers['content-encoding']).toBe(encoding);
    expect(JSON.parse(decompress(bytes).toString())).toMatchObject({ error: { code: 'conflict' } });
  });

  it('is told of the same version, whatever it takes', async () => {
    const { headers } = await ask('/tagged', encoding);
    expect(headers['etag']).toMatch(/^W\/"[\w-]{43}"$/);
    expect((await ask('/tagged')).headers['etag']).toBe(headers['etag']);
    const again = await rawAnswer(`${url}/tagged`, {
      'accept-encoding': encoding,
      'if-none-match': String(headers['etag']),
    });
    expect(again).toMatchObject({ status: 304, headers: { etag: headers['etag'], vary: VARY } });
    expect(again.headers).not.toHaveProperty('content-encoding');
    expect(again.bytes).toHaveLength(0);
  });

  it('is told by HEAD no length that GET has not', async () => {
    const { status, headers, bytes } = await ask('/rows/200', encoding, 'HEAD');
    expect(status).toBe(200);
    expect(bytes).toHaveLength(0);
    expect(headers).not.toHaveProperty('content-length');
    expect(headers['vary']).toBe(VARY);
    const small = await ask('/rows/2', encoding, 'HEAD');
    expect(small.headers['content-length']).toBe((await ask('/rows/2')).headers['content-length']);
  });

  it.each([
    ['what has secrets', '/secrets?cursor=row_'],
    ['what has a strong tag', '/strong'],
    ['images', '/images'],
  ])('gets %s as it is', async (_name, path) => {
    const { status, headers, bytes } = await ask(path, encoding);
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(bytes).toEqual((await ask(path)).bytes);
  });

  it('gets the answers of commands as they are', async () => {
    const { status, headers } = await ask('/rows/200', encoding, 'POST');
    expect(status).toBe(201);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers['vary']).toBe('Origin');
  });

  it('gets the parts of an export as they are read', async () => {
    const second = comingPage();
    pages = [Promise.resolve({ data: rows(20), next_cursor: '1' }), second.promise];
    const answer = await open('/exports', encoding, 'text/csv');
    expect(answer.encoding).toBe(encoding);
    expect(answer.response.headers['vary']).toBe('Origin, Accept, Accept-Encoding');
    await eventually(() => expect(answer.text()).toContain('row_19'));
    second.resolve({ data: [{ id: 'the last' }], next_cursor: null });
    await eventually(() => expect(answer.text()).toMatch(/\r\nthe last,,\r\n$/));
    await eventually(() => expect(answer.response.complete).toBe(true));
  });

  it('that goes amid an export ends it', async () => {
    const second = comingPage();
    pages = [
      Promise.resolve({ data: rows(20), next_cursor: '1' }),
      second.promise,
      Promise.resolve({ data: rows(20), next_cursor: null }),
    ];
    const answer = await open('/exports', encoding, 'text/csv');
    await eventually(() => expect(answer.text()).toContain('row_19'));
    answer.close();
    await eventually(() => expect(logged.join()).toContain('"aborted":true'));
    second.resolve({ data: rows(20), next_cursor: '2' });
    expect((await ask('/rows/1')).status).toBe(200);
    expect(pagesRead).toBe(2);
  });

  it('sees an export that breaks as broken', async () => {
    const second = comingPage();
    pages = [Promise.resolve({ data: rows(20), next_cursor: '1' }), second.promise];
    const answer = await open('/exports', encoding, 'text/csv');
    second.reject(new Error('gone'));
    await eventually(() => expect(answer.response.closed).toBe(true));
    expect(answer.response.complete).toBe(false);
  });

  it('gets events one by one, and not compressed', async () => {
    const answer = await open('/events', `${encoding}, gzip, br`);
    expect(answer.encoding).toBeUndefined();
    for (let i = 1; i <= 3; i++) {
      streams[0]!.send(new EncodedEvent('news', i, JSON.stringify({ text: 'x'.repeat(2_000) })));
      await eventually(() => expect(answer.text()).toContain(`id: ${i}\n`));
      expect(answer.text()).not.toContain(`id: ${i + 1}\n`);
    }
    answer.close();
  });
});

it.each<[string, string | string[], string | undefined]>([
  ['the better one of two', 'gzip, deflate, br', 'br'],
  ['what it weighs higher', 'br;q=0.1, gzip;q=0.9', 'gzip'],
  ['what it takes of anything', '*', 'br'],
  ['nothing of nothing', '', undefined],
  ['nothing of zeros', 'br;q=0, gzip;q=0, deflate;q=0', undefined],
  ['nothing of a zero for all', '*;q=0', undefined],
  ['nothing where nothing is left', 'identity;q=0', undefined],
  ['nothing where nothing is left at all', 'identity;q=0, *;q=0', undefined],
  ['what a star leaves', 'br;q=0, *', 'gzip'],
  ['plain text where it prefers that', 'identity, gzip;q=0.5', undefined],
  ['nothing it has never heard of', 'zstd, compress, x-made-up', undefined],
  ['what is among garbage', ';;,,q=,\t=, gzip ;q=1;;;, "', 'gzip'],
  ['nothing of garbage', ';q=abc;;=,,,"\\', undefined],
  ['a weight that is none', 'gzip;q=-1, br;q=NaN', undefined],
  ['capitals', 'GZIP', 'gzip'],
  ['many', 'x,'.repeat(5_000), undefined],
  ['many weights', `gzip${';q=0.5'.repeat(2_000)}`, 'gzip'],
  ['spaces', `${' '.repeat(9_000)}gzip${' '.repeat(3_000)}`, 'gzip'],
  ['a repeated header', ['gzip;q=0', 'gzip', 'x'.repeat(5_000)], 'gzip'],
])('of odd Accept-Encoding, the client gets %s', async (_name, accepted, encoding) => {
  const plain = await ask('/rows/200');
  const { status, headers, bytes } = await ask('/rows/200', accepted);
  expect(status).toBe(200);
  expect(headers['content-encoding']).toBe(encoding);
  if (encoding === undefined) expect(bytes).toEqual(plain.bytes);
  else expect((encoding === 'br' ? brotliDecompressSync : gunzipSync)(bytes)).toEqual(plain.bytes);
});
