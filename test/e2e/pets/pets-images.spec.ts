import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32, deflateSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileStore, TradepostPlugin, type StoredFile } from '../../../src/index.js';
import { UPLOADS_PER_CALLER_MAX } from '../../../src/kit/http/body/upload-slots.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import type { Caller, Json, Reply } from '../../support/caller.js';
import { addPet, expectRefusal, petCaller, postParts, put } from '../../support/clients/pets-client.js';

const MEGABYTE = 1024 * 1024;

function picture(width = 24, height = 16, background = 'teal'): Sharp {
  return sharp({ create: { width, height, channels: 3, background } });
}

function fileOf(content: Uint8Array | string, name = 'rex.png', type = 'image/png'): File {
  return new File([typeof content === 'string' ? content : new Uint8Array(content)], name, { type });
}

function upload(
  caller: Caller,
  petId: number,
  file: File,
  texts: Record<string, string> = {},
): Promise<Reply> {
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.append(name, text);
  form.append('file', file);
  return postParts(caller, `/pet/${petId}/uploadImage`, form);
}

function uploadRaw(caller: Caller, petId: number, content: Uint8Array, query = ''): Promise<Reply> {
  return caller.send('POST', `/pet/${petId}/uploadImage${query}`, new Uint8Array(content), {
    'content-type': 'application/octet-stream',
  });
}

/** A PNG whose header declares this size, whatever its pixels. */
function pngSaying(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(1_000))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

describe('images of pets', () => {
  let app: TestApp;
  let keeper: Caller;
  let png: Buffer;
  beforeAll(async () => {
    app = await startTestApp();
    keeper = await petCaller(app);
    png = await picture().png().toBuffer();
  });
  afterAll(() => app.close());

  const photosOf = async (petId: number): Promise<string[]> =>
    (await keeper.get(`/pet/${petId}`)).body.photoUrls;
  const storedNames = (): Promise<string[]> =>
    readdir(join(app.config.dataDir, 'files/pets')).catch((): string[] => []);
  /** Uploads for a new pet; returns the served image. */
  const roundTrip = async (file: File): Promise<{ content: Buffer; headers: Headers }> => {
    const { id } = await addPet(keeper);
    const reply = await upload(keeper, id, file);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    const served = await fetch((await photosOf(id))[0]!);
    expect(served.status).toBe(200);
    return { content: Buffer.from(await served.arrayBuffer()), headers: served.headers };
  };

  describe('are stored and served', () => {
    it('from a form, with their metadata answered', async () => {
      const { id } = await addPet(keeper, { photoUrls: ['https://example.com/rex.jpg'] });
      const reply = await upload(keeper, id, fileOf(png), { additionalMetadata: 'on the bëach' });
      const photos = await photosOf(id);
      expect(photos).toEqual([
        'https://example.com/rex.jpg',
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/pet-images\/[0-9a-f]{32}\.png$/),
      ]);
      expect(reply).toMatchObject({ status: 200, body: { code: 200, type: 'image/png' } });
      expect(reply.body.message).toContain(photos[1]);
      expect(reply.body.message).toContain('additionalMetadata: on the bëach');
    });

    it('from the bytes alone', async () => {
      const { id } = await addPet(keeper);
      const reply = await uploadRaw(keeper, id, png, '?additionalMetadata=by+the+sea');
      expect(reply).toMatchObject({ status: 200, body: { code: 200, type: 'image/png' } });
      expect(reply.body.message).toContain('additionalMetadata: by the sea');
      expect(await photosOf(id)).toHaveLength(1);
    });

    it('to everyone, with headers that let nothing be guessed', async () => {
      const { content, headers } = await roundTrip(fileOf(png));
      expect(headers.get('content-type')).toBe('image/png');
      expect(headers.get('content-length')).toBe(String(content.length));
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(await sharp(content).metadata()).toMatchObject({ format: 'png', width: 24, height: 16 });
    });

    it('to HEAD as to GET', async () => {
      const { id } = await addPet(keeper);
      await uploadRaw(keeper, id, png);
      const head = await fetch((await photosOf(id))[0]!, { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(head.headers.get('content-type')).toBe('image/png');
      expect((await head.arrayBuffer()).byteLength).toBe(0);
    });

    it.each<['jpeg' | 'gif' | 'webp' | 'png', string, string]>([
      ['png', 'image/png', '.png'],
      ['jpeg', 'image/jpeg', '.jpg'],
      ['gif', 'image/gif', '.gif'],
      ['webp', 'image/webp', '.webp'],
    ])('as %s, whatever they are called', async (format, mediaType, extension) => {
      const original = await picture().toFormat(format).toBuffer();
      const { id } = await addPet(keeper);
      await upload(keeper, id, fileOf(original, 'page.html', 'text/html'));
      const [url] = await photosOf(id);
      expect(url!.endsWith(extension)).toBe(true);
      const served = await fetch(url!);
      expect(served.headers.get('content-type')).toBe(mediaType);
      const content = Buffer.from(await served.arrayBuffer());
      expect(await sharp(content).metadata()).toMatchObject({ format, width: 24, height: 16 });
    });

    it('moving, where they moved', async () => {
      const frames = Buffer.alloc(8 * 24 * 3);
      frames.fill(255, 8 * 8 * 3, 16 * 8 * 3);
      const gif = await sharp(frames, { raw: { width: 8, height: 24, channels: 3, pageHeight: 8 } })
        .gif({ delay: [100, 100, 100] })
        .toBuffer();
      const { content } = await roundTrip(fileOf(gif));
      expect(await sharp(content, { animated: true }).metadata()).toMatchObject({ pages: 3, pageHeight: 8 });
    });

    it('upright and without metadata', async () => {
      const photo = await picture(40, 20)
        .withExif({ IFD0: { Copyright: 'SECRET', Make: 'Camera' }, IFD3: { GPSLatitude: '38/1 43/1 0/1' } })
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer();
      const { content } = await roundTrip(fileOf(photo));
      const { width, height, exif, icc, xmp, orientation } = await sharp(content).metadata();
      expect({ width, height, exif, icc, xmp, orientation }).toEqual({ width: 20, height: 40 });
      expect(content.includes('SECRET')).toBe(false);
    });

    it('once per Idempotency-Key', async () => {
      const { id } = await addPet(keeper);
      const send = (content: Buffer): Promise<Reply> =>
        keeper.send('POST', `/pet/${id}/uploadImage`, new Uint8Array(content), {
          'content-type': 'application/octet-stream',
          'idempotency-key': `image of ${id}`,
        });
      const first = await send(png);
      const again = await send(png);
      expect(again).toMatchObject({ status: 200, body: first.body });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expectRefusal(await send(await picture(8, 8).png().toBuffer()), 422, 'idempotency_key_reused');
      expect(await photosOf(id)).toHaveLength(1);
    });

    it('many at once', async () => {
      const { id } = await addPet(keeper);
      const replies = await Promise.all(Array.from({ length: 10 }, () => uploadRaw(keeper, id, png)));
      expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(new Set(await photosOf(id)).size).toBe(10);
    });

    it.each([
      '../../../../etc/passwd',
      '..\\..\\windows\\win.ini',
      '/etc/passwd',
      'C:\\rex.png',
      '.htaccess',
      'rex.png\u0000.html',
      'Привет 🐕 ‮gnp.exe',
      '"; filename="x.html',
      '%2e%2e%2fx',
      'x'.repeat(5_000),
    ])('under a name of the service’s own, not %j', async (name) => {
      const { id } = await addPet(keeper);
      const reply = await upload(keeper, id, fileOf(png, name));
      if (reply.status === 400) {
        // Nothing is stored for a malformed name.
        expect(await photosOf(id)).toEqual([]);
        return;
      }
      expect(reply.status).toBe(200);
      const [url] = await photosOf(id);
      expect(url).toMatch(/\/pet-images\/[0-9a-f]{32}\.png$/);
      expect(await readdir(join(app.config.dataDir, 'files'))).toEqual(
        expect.arrayContaining(['.unfinished', 'pets']),
      );
      expect((await storedNames()).every((stored) => /^[0-9a-f]{32}\.\w+$/.test(stored))).toBe(true);
    });
  });

  describe('come out clean', () => {
    it.each<[string, (original: Buffer) => Buffer]>([
      [
        'HTML behind the end',
        (original) => Buffer.concat([original, Buffer.from('<script>alert(1)</script>')]),
      ],
      ['a ZIP behind the end', (original) => Buffer.concat([original, Buffer.from('PK\x03\x04<script>')])],
      [
        'HTML in a comment',
        (original) =>
          Buffer.concat([
            original.subarray(0, 33),
            pngChunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>')),
            original.subarray(33),
          ]),
      ],
    ])('of %s', async (_what, disguise) => {
      const polyglot = disguise(png);
      expect(polyglot.includes('<script>')).toBe(true);
      const { content } = await roundTrip(fileOf(polyglot));
      expect(content.includes('script')).toBe(false);
      expect(content.includes('PK\x03\x04')).toBe(false);
    });

    it('of HTML in the comments of a JPEG and a GIF', async () => {
      const script = Buffer.from('<script>alert(1)</script>');
      const jpeg = await picture().jpeg().toBuffer();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(script.length + 2);
      const jpegComment = Buffer.concat([Buffer.from([0xff, 0xfe]), length, script]);
      const jpegPolyglot = Buffer.concat([jpeg.subarray(0, 2), jpegComment, jpeg.subarray(2), script]);
      expect((await roundTrip(fileOf(jpegPolyglot))).content.includes('script')).toBe(false);

      const gif = await picture().gif().toBuffer();
      const gifComment = Buffer.concat([Buffer.from([0x21, 0xfe, script.length]), script, Buffer.from([0])]);
      const gifPolyglot = Buffer.concat([gif.subarray(0, -1), gifComment, gif.subarray(-1), script]);
      expect((await roundTrip(fileOf(gifPolyglot))).content.includes('script')).toBe(false);
    });
  });

  describe('are refused', () => {
    const SVG =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';

    it.each<[string, string | (() => Buffer | Promise<Buffer>)]>([
      ['SVG', SVG],
      ['SVG with a prologue', `<?xml version="1.0"?>\n${SVG}`],
      ['HTML', '<!doctype html><script>alert(1)</script>'],
      ['text', 'not an image'],
      ['half a PNG', () => png.subarray(0, png.length / 2)],
      [
        'the signature of PNG before HTML',
        () => Buffer.concat([png.subarray(0, 8), Buffer.from('<script>')]),
      ],
      ['the signature of GIF before HTML', 'GIF89a<script>alert(1)</script>'],
      ['the signature of JPEG before noise', () => Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])],
      ['PDF', '%PDF-1.7\n%âãÏÓ'],
      ['TIFF', () => picture().tiff().toBuffer()],
      ['AVIF', () => picture().avif().toBuffer()],
      ['a PNG that says 50,000 × 50,000', () => pngSaying(50_000, 50_000)],
      ['a PNG that says 2^31 − 1 wide', () => pngSaying(2 ** 31 - 1, 1)],
      ['a PNG of 0 × 0', () => pngSaying(0, 0)],
      ['a PNG of 50.01 megapixels', () => pngSaying(7_073, 7_071)],
    ])('where they are %s', async (_what, content) => {
      const { id } = await addPet(keeper);
      const before = await storedNames();
      const bytes = typeof content === 'string' ? Buffer.from(content) : await content();
      expectRefusal(await upload(keeper, id, fileOf(bytes)), 400, 'validation_failed', 'file');
      expectRefusal(await uploadRaw(keeper, id, bytes), 400, 'validation_failed', 'file');
      expect(await photosOf(id)).toEqual([]);
      expect(await storedNames()).toEqual(before);
    });

    it('for their size before anything is decoded', async () => {
      const { id } = await addPet(keeper);
      const reply = await uploadRaw(keeper, id, pngSaying(50_000, 50_000));
      expect(reply.body.error.message).toContain('50 megapixels');
    });

    it('where a GIF has too many pixels in all its frames', async () => {
      // 51 frames of a megapixel, cheap to declare.
      const gif = await picture(1_000, 1_000).gif().toBuffer();
      const frameAt = gif.indexOf(Buffer.from([0x21, 0xf9]));
      const frame = gif.subarray(frameAt, -1);
      const many = Buffer.concat([
        gif.subarray(0, frameAt),
        ...Array<Buffer>(51).fill(frame),
        Buffer.from([0x3b]),
      ]);
      const { id } = await addPet(keeper);
      const reply = await upload(keeper, id, fileOf(many));
      expectRefusal(reply, 400, 'validation_failed', 'file');
      expect(reply.body.error.message).toContain('50 megapixels');
    });

    it('over 10 MB, by form, by bytes, and before the body where it is announced', async () => {
      const { id } = await addPet(keeper);
      const tooMuch = Buffer.concat([png, Buffer.alloc(10 * MEGABYTE)]);
      expectRefusal(await upload(keeper, id, fileOf(tooMuch)), 413, 'payload_too_large');
      expectRefusal(await uploadRaw(keeper, id, tooMuch), 413, 'payload_too_large');
      const { status, body } = await stream(id, 'application/octet-stream', tooMuch);
      expect({ status, code: body.error.code }).toEqual({ status: 413, code: 'payload_too_large' });
      const form = new Response(formWith(fileOf(tooMuch)));
      const type = form.headers.get('content-type')!;
      const streamed = await stream(id, type, Buffer.from(await form.arrayBuffer()));
      expect(streamed).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
      expect(await photosOf(id)).toEqual([]);
    });

    it('up to 10 MB they are taken', async () => {
      const { id } = await addPet(keeper);
      const large = Buffer.concat([png, Buffer.alloc(10 * MEGABYTE - png.length)]);
      expect((await upload(keeper, id, fileOf(large))).status).toBe(200);
      expect((await uploadRaw(keeper, id, large)).status).toBe(200);
    });

    it('where there is none', async () => {
      const { id } = await addPet(keeper);
      const path = `/pet/${id}/uploadImage`;
      const texts = new FormData();
      texts.append('additionalMetadata', 'alone');
      expectRefusal(await postParts(keeper, path, texts), 400, 'validation_failed', 'file');
      expectRefusal(await uploadRaw(keeper, id, Buffer.alloc(0)), 400, 'validation_failed', 'file');
      expectRefusal(await keeper.send('POST', path), 400, 'validation_failed', 'file');
      const empty = await upload(keeper, id, fileOf(''));
      expect(empty.status).toBe(400);
      const asText = new FormData();
      asText.append('file', 'text');
      expectRefusal(await postParts(keeper, path, asText), 400, 'validation_failed', 'file');
    });

    it.each<[string, (form: FormData) => void, string]>([
      ['an unknown text', (form) => form.append('status', 'sold'), 'validation_failed'],
      ['an unknown file', (form) => form.append('other', fileOf('x')), 'malformed_request'],
      ['a second file', (form) => form.append('file', fileOf('x')), 'malformed_request'],
      [
        'a repeated text',
        (form) => ['a', 'b'].forEach((text) => form.append('additionalMetadata', text)),
        'malformed_request',
      ],
      [
        'a text too long',
        (form) => form.append('additionalMetadata', 'x'.repeat(1_001)),
        'validation_failed',
      ],
      [
        'a text far too long',
        (form) => form.append('additionalMetadata', 'x'.repeat(5_000)),
        'malformed_request',
      ],
      ['a NUL', (form) => form.append('additionalMetadata', 'a\0b'), 'malformed_request'],
      ['a nested name', (form) => form.append('additionalMetadata[a]', 'x'), 'malformed_request'],
      ['a list', (form) => form.append('additionalMetadata[99999999]', 'x'), 'malformed_request'],
      ['__proto__', (form) => form.append('__proto__', 'x'), 'malformed_request'],
      ['prototype', (form) => form.append('prototype', 'x'), 'malformed_request'],
      ['a file named prototype', (form) => form.append('prototype', new Blob(['x'])), 'malformed_request'],
      ['a name too long', (form) => form.append('x'.repeat(200), 'x'), 'malformed_request'],
      [
        'too many texts',
        (form) => Array.from({ length: 30 }, (_, i) => form.append(`t${i}`, 'x')),
        'malformed_request',
      ],
    ])('in a form with %s', async (_what, add, code) => {
      const { id } = await addPet(keeper);
      const form = formWith(fileOf(png));
      add(form);
      expectRefusal(await postParts(keeper, `/pet/${id}/uploadImage`, form), 400, code);
      expect(await photosOf(id)).toEqual([]);
    });

    it.each([
      ['multipart/form-data', 'no boundary'],
      ['multipart/form-data; boundary=x', 'no parts'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
      ],
      ['multipart/form-data; boundary=x', '--x\r\n\r\n\r\n--x--\r\n'],
    ])('as broken form %#', async (type, body) => {
      const { id } = await addPet(keeper);
      const reply = await keeper.send('POST', `/pet/${id}/uploadImage`, body, { 'content-type': type });
      expect(reply.status).toBe(400);
    });

    it.each([
      'application/json',
      'image/png',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=x',
    ])('as %s', async (type) => {
      const { id } = await addPet(keeper);
      const reply = await keeper.send('POST', `/pet/${id}/uploadImage`, new Uint8Array(png), {
        'content-type': type,
      });
      expectRefusal(reply, 415, 'unsupported_media_type');
    });

    it('for no pet, no id, and without the scope', async () => {
      expectRefusal(await uploadRaw(keeper, 999_999, png), 404, 'not_found');
      const reply = await keeper.send('POST', '/pet/0x10/uploadImage', new Uint8Array(png), {
        'content-type': 'application/octet-stream',
      });
      expectRefusal(reply, 400, 'validation_failed', 'petId');
      const reader = await petCaller(app, ['read:pets']);
      expectRefusal(await uploadRaw(reader, 1, png), 403, 'insufficient_scope');
    });

    it('while the same caller has many on their way, and only then', async () => {
      const { id } = await addPet(keeper);
      const headers = {
        ...(await authorization()),
        'content-type': 'application/octet-stream',
        'content-length': String(png.length),
      };
      const begun = Array.from({ length: UPLOADS_PER_CALLER_MAX + 1 }, () => {
        const upload = request(`${app.url}/pet/${id}/uploadImage`, { method: 'POST', headers });
        upload.on('error', () => undefined);
        upload.write(png.subarray(0, 8));
        return upload;
      });
      // The first answer can only be the last one's refusal: no upload is complete yet.
      const refused = await Promise.race(begun.map(answerOf));
      expect(refused.response).toMatchObject({ statusCode: 429, headers: { 'retry-after': '1' } });
      expectRefusal(await uploadRaw(keeper, id, png), 429, 'rate_limited');

      const other = await petCaller(app, ['write:pets']);
      expect((await uploadRaw(other, id, png)).status).toBe(200);
      expect((await keeper.get(`/pet/${id}`)).status).toBe(200);

      const accepted = begun.find((upload) => upload !== refused.upload)!;
      accepted.end(png.subarray(8));
      expect((await answerOf(accepted)).response.statusCode).toBe(200);
      for (const upload of begun) upload.destroy();
      await eventually(
        async () => (await uploadRaw(keeper, id, Buffer.from('no image'))).status === 400,
        'the uploads that were given up make room',
      );
      expect((await uploadRaw(keeper, id, png)).status).toBe(200);
      expect(await photosOf(id)).toHaveLength(3);
    });

    it('beyond 20 photos, also where many come at once', async () => {
      const { id } = await addPet(keeper, { photoUrls: Array.from({ length: 17 }, (_, i) => `${i}.png`) });
      const before = (await storedNames()).length;
      const replies = await Promise.all(Array.from({ length: 8 }, () => uploadRaw(keeper, id, png)));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
      expect(replies.filter(({ status }) => status === 409)).toHaveLength(5);
      expect(await photosOf(id)).toHaveLength(20);
      expect(await storedNames()).toHaveLength(before + 3);
    });

    it.each(['nothing', '..%2f..%2fPG_VERSION', `${'0'.repeat(32)}.png`, `${'0'.repeat(32)}.svg`, 'x.png'])(
      'to be served as %s',
      async (name) => {
        const response = await fetch(`${app.url}/pet-images/${name}`);
        expect(response.status).toBe(404);
        expect(response.headers.get('cache-control') ?? '').not.toContain('immutable');
        expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
      },
    );

    function answerOf(upload: ClientRequest): Promise<{ upload: ClientRequest; response: IncomingMessage }> {
      return new Promise((resolve) =>
        upload.on('response', (response) => resolve({ upload, response: response.resume() })),
      );
    }

    /** Sends a chunked body, without a length. */
    async function stream(
      petId: number,
      type: string,
      body: Buffer,
    ): Promise<{ status: number; body: Json }> {
      const response = await fetch(`${app.url}/pet/${petId}/uploadImage`, {
        method: 'POST',
        headers: { 'content-type': type, ...(await authorization()) },
        body: Readable.toWeb(Readable.from([body])) as ReadableStream,
        duplex: 'half',
      });
      return { status: response.status, body: await response.json() };
    }

    function formWith(file: File): FormData {
      const form = new FormData();
      form.append('file', file);
      return form;
    }

    async function authorization(): Promise<Record<string, string>> {
      const response = await fetch(`${app.url}/auth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: 'pets-read-pets-write-pets',
          client_secret: 'pets-read-pets-write-pets-secret',
        }),
      });
      const { access_token } = (await response.json()) as { access_token: string };
      return { authorization: `Bearer ${access_token}` };
    }
  });

  describe('go with their pet', () => {
    it('when it is deleted', async () => {
      const { id } = await addPet(keeper);
      await uploadRaw(keeper, id, png);
      await uploadRaw(keeper, id, png);
      const photos = await photosOf(id);
      const before = await storedNames();
      expect((await keeper.delete(`/pet/${id}`)).status).toBe(200);
      for (const url of photos) expect((await fetch(url)).status).toBe(404);
      expect(await storedNames()).toHaveLength(before.length - 2);
    });

    it('when a replacement no longer names them, and stay where it does', async () => {
      const pet = await addPet(keeper);
      for (let i = 0; i < 3; i++) await uploadRaw(keeper, pet.id, png);
      const [first, second, third] = await photosOf(pet.id);
      const elsewhere = third!.replace(app.url, 'https://shop.example');
      const { body } = await put(keeper, { ...pet, photoUrls: [elsewhere, 'a.png', first, third] });
      expect(body.photoUrls).toEqual([third, 'a.png', first]);
      expect(await photosOf(pet.id)).toEqual([third, 'a.png', first]);
      expect((await fetch(first!)).status).toBe(200);
      expect((await fetch(second!)).status).toBe(404);
      expect((await fetch(third!)).status).toBe(200);
      await uploadRaw(keeper, pet.id, png);
      expect(await photosOf(pet.id)).toEqual([
        third,
        'a.png',
        first,
        expect.stringContaining('/pet-images/'),
      ]);
    });

    it('also where it names them by their former path, which redirects', async () => {
      const pet = await addPet(keeper);
      await uploadRaw(keeper, pet.id, png);
      const [photo] = await photosOf(pet.id);
      const former = photo!.replace('/pet-images/', '/pet/images/');
      const redirect = await fetch(former, { redirect: 'manual' });
      expect(redirect.status).toBe(308);
      expect(redirect.headers.get('location')).toBe(new URL(photo!).pathname);
      expect((await fetch(former)).status).toBe(200);
      const { body } = await put(keeper, { ...pet, photoUrls: [former] });
      expect(body.photoUrls).toEqual([photo]);
      for (const name of ['nothing', '..%2f..%2fx', '%2f%2fevil.example', '%0d%0aX: y']) {
        const refused = await fetch(`${app.url}/pet/images/${name}`, { redirect: 'manual' });
        expect(refused.status).toBe(404);
      }
    });

    it('and with no other, though another one names them', async () => {
      const owner = await addPet(keeper);
      await uploadRaw(keeper, owner.id, png);
      const photoUrls = await photosOf(owner.id);
      const other = await addPet(keeper, { photoUrls });
      expect(other.photoUrls).toEqual(photoUrls);
      await put(keeper, { ...other, photoUrls: [] });
      await put(keeper, { ...other, photoUrls });
      await keeper.delete(`/pet/${other.id}`);
      expect((await fetch(photoUrls[0]!)).status).toBe(200);
    });
  });
});

/** A store in memory, controlled by the test, as a plugin may provide in place of the folder. */
@Injectable()
class MemoryFiles extends FileStore {
  static readonly files = new Map<string, Buffer>();
  static beforePut: () => void | Promise<void> = () => undefined;
  static beforeDelete: () => void = () => undefined;

  override async put(name: string, content: Buffer): Promise<void> {
    await MemoryFiles.beforePut();
    MemoryFiles.files.set(name, content);
  }

  override open(name: string): Promise<StoredFile | undefined> {
    const content = MemoryFiles.files.get(name);
    return Promise.resolve(content && { sizeBytes: content.length, stream: Readable.from([content]) });
  }

  override async delete(name: string): Promise<void> {
    MemoryFiles.beforeDelete();
    MemoryFiles.files.delete(name);
    return Promise.resolve();
  }
}

@TradepostPlugin({ name: 'memory-files', compatibility: '*', implementations: [MemoryFiles] })
class MemoryFilesPlugin {}

describe('images in a store of a plugin', () => {
  let app: TestApp;
  let keeper: Caller;
  let png: Buffer;
  beforeAll(async () => {
    app = await startTestApp({ plugins: [MemoryFilesPlugin] });
    keeper = await petCaller(app);
    png = await picture().png().toBuffer();
  });
  afterAll(() => app.close());

  const photosOf = async (petId: number): Promise<string[]> =>
    (await keeper.get(`/pet/${petId}`)).body.photoUrls;

  it('are kept there and served from there', async () => {
    const { id } = await addPet(keeper);
    expect((await uploadRaw(keeper, id, png)).status).toBe(200);
    const [url] = await photosOf(id);
    const [[name, content]] = [...MemoryFiles.files] as [[string, Buffer]];
    expect(name).toBe(`pets/${url!.split('/').at(-1)}`);
    const served = Buffer.from(await (await fetch(url!)).arrayBuffer());
    expect(createHash('sha256').update(served).digest()).toEqual(
      createHash('sha256').update(content).digest(),
    );
    await keeper.delete(`/pet/${id}`);
    expect(MemoryFiles.files.size).toBe(0);
  });

  it('leave no row where the store fails', async () => {
    const { id } = await addPet(keeper);
    MemoryFiles.beforePut = () => {
      throw new Error('the disk is full');
    };
    expectRefusal(await uploadRaw(keeper, id, png), 500, 'internal_error');
    MemoryFiles.beforePut = () => undefined;
    expect(await photosOf(id)).toEqual([]);
    expect(MemoryFiles.files.size).toBe(0);
  });

  it('leave no file where the row cannot be written', async () => {
    const { id } = await addPet(keeper);
    MemoryFiles.beforePut = async () => {
      await queryOnce(app.config.databaseUrl!, 'DELETE FROM pets WHERE pet_id = $1', [id]);
    };
    expectRefusal(await uploadRaw(keeper, id, png), 404, 'not_found');
    MemoryFiles.beforePut = () => undefined;
    expect(MemoryFiles.files.size).toBe(0);
  });

  it('are never served again, though the store fails to delete them', async () => {
    const { id } = await addPet(keeper);
    await uploadRaw(keeper, id, png);
    const [url] = await photosOf(id);
    MemoryFiles.beforeDelete = () => {
      throw new Error('the disk is read-only');
    };
    expect((await keeper.delete(`/pet/${id}`)).status).toBe(200);
    MemoryFiles.beforeDelete = () => undefined;
    expect((await fetch(url!)).status).toBe(404);
    MemoryFiles.files.clear();
  });

  it('that the store has lost are not found, and the pet is', async () => {
    const { id } = await addPet(keeper);
    await uploadRaw(keeper, id, png);
    MemoryFiles.files.clear();
    const [url] = await photosOf(id);
    expect((await fetch(url!)).status).toBe(404);
    expect((await keeper.delete(`/pet/${id}`)).status).toBe(200);
  });
});
