import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import type { OpenAPI3 } from 'openapi-typescript';
import { rolldown } from 'rolldown';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientTypesOf } from '../../scripts/support/client-types.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { hasBrowser, HeadlessBrowser } from '../../scripts/support/browser.js';
import { readDocument } from '../support/documents.js';
import { installTarball, type Packed } from '../support/installed-package.js';

const run = promisify(execFile);
const PACKAGE = 'packages/client';
const PACKED_BYTES_MAX = 172_000;
const RUN_TIMEOUT_MS = 60_000;

/** What the types have to refuse: the compiler complains of each comment that nothing follows. */
const MISTAKES = `
import { type ErrorCode, TradepostClient } from '@tradepost/client';

export async function mistakes(client: TradepostClient): Promise<void> {
  const order = { market_id: 'M', side: 'buy', type: 'limit', price: '1', size: '1' } as const;
  const placed = await client.post('/orders', { body: order });
  const id: string = placed.order_id;
  const { time } = await client.get('/time');
  // @ts-expect-error A path that there is not.
  await client.get('/order');
  // @ts-expect-error A method that the path does not have.
  await client.put('/orders', { body: order });
  // @ts-expect-error A parameter is missing.
  await client.get('/orders/{order_id}');
  // @ts-expect-error A side that there is not.
  await client.post('/orders', { body: { ...order, side: 'hold' } });
  // @ts-expect-error A price is a string.
  await client.post('/orders', { body: { ...order, price: 1 } });
  // @ts-expect-error No list.
  for await (const time of client.list('/time')) void time;
  // @ts-expect-error A field that there is not.
  void (await client.get('/time')).now;
  // @ts-expect-error A code that there is not.
  const code: ErrorCode = 'insufficient_luck';
  for await (const market of client.list('/markets', { params: { query: { kind: 'spot' } } })) {
    const tick: string = market.tick_size;
    void [id, code, tick, time];
  }
}

interface OwnPaths {
  '/acme/notes': {
    get: { responses: { 200: { content: { 'application/json': { note_id: string }[] } } } };
    post: {
      requestBody: { content: { 'application/json': { text: string } } };
      responses: { 201: { content: { 'application/json': { note_id: string } } } };
    };
  };
}

export async function mistakesWithOwnPaths(client: TradepostClient<OwnPaths>): Promise<void> {
  const { note_id } = await client.post('/acme/notes', { body: { text: 'Mine' } });
  const [first] = await client.get('/acme/notes');
  void [note_id, first?.note_id];
  // @ts-expect-error A path that is not among its own.
  await client.get('/time');
  // @ts-expect-error A body that the path does not take.
  await client.post('/acme/notes', { body: { note: 'Mine' } });
  // @ts-expect-error A client of other paths.
  const other: TradepostClient = client;
  void other;
}
`;

describe('the package of the client', () => {
  let app: TestApp;
  let folder: string;
  let packed: Packed;

  /** Unpacked beside the packages that it declares, and no others. */
  beforeAll(async () => {
    app = await startTestApp();
    folder = await mkdtemp(join(tmpdir(), 'tradepost-client-'));
    packed = await installTarball(PACKAGE, folder);
    const installed = join(folder, 'node_modules', packed.name);
    const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of [...Object.keys(dependencies), '@types/node']) {
      const link = join(folder, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(resolve('node_modules', name), link);
    }
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await app.close();
  });

  /** Compiles sources in the folder as strictly as can be, and gives the complaints. */
  function compile(names: readonly string[], options: ts.CompilerOptions = {}): string[] {
    const program = ts.createProgram(
      names.map((name) => join(folder, name)),
      {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        module: ts.ModuleKind.NodeNext,
        target: ts.ScriptTarget.ES2022,
        lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
        types: [],
        ...options,
      },
    );
    program.emit();
    return ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
  }

  it('has what it needs and is small', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
    );
    expect(
      paths.filter((path) => !/^(?:README\.md|package\.json|dist\/.*\.(?:js|d\.ts))$/.test(path)),
    ).toEqual([]);
    expect(packed.size).toBeLessThanOrEqual(PACKED_BYTES_MAX);
  });

  it('has types made from the openapi.json of today', async () => {
    const document = JSON.parse(await readFile('openapi.json', 'utf8')) as OpenAPI3;
    for (const [name, text] of Object.entries(await clientTypesOf(document))) {
      const stored = await readFile(join(PACKAGE, 'src/generated', name), 'utf8');
      expect(stored === text, `${name} is stale: npm run client:types`).toBe(true);
    }
  });

  it('has types that refuse mistakes, with nothing of Node in them', async () => {
    await writeFile(join(folder, 'mistakes.ts'), MISTAKES);
    expect(compile(['mistakes.ts'])).toEqual([]);
  });

  it('has recipes that do what they say', async () => {
    const { fences } = readDocument(join(PACKAGE, 'README.md'));
    const programs = fences.filter(({ language }) => language === 'ts').map(({ code }) => code);
    const outputs = fences.filter(({ language }) => language === 'text').map(({ code }) => code);
    expect(programs).toHaveLength(13);
    const names = programs.map((_, i) => `recipe-${i + 1}.ts`);
    for (const [i, code] of programs.entries()) {
      expect(code).toContain('http://127.0.0.1:3000');
      await writeFile(join(folder, names[i]!), code.replace('http://127.0.0.1:3000', app.url));
    }
    expect(compile(names, { types: ['node'], lib: ['lib.es2023.d.ts'], skipLibCheck: true })).toEqual([]);
    for (const [i, name] of names.entries()) {
      const { stdout, stderr } = await run(process.execPath, [name.replace('.ts', '.js')], {
        cwd: folder,
        timeout: RUN_TIMEOUT_MS,
      });
      expect(stderr).toBe('');
      expect(stdout, name).toMatch(patternOf(outputs[i]!));
    }
    expect(await readFile(join(folder, 'orders.csv'), 'utf8')).toMatch(/^order_id,(?:.*\r?\n)+.*my-order-1/);
  });

  describe('bundled for browsers', () => {
    let bundle: string;

    beforeAll(async () => {
      await writeFile(
        join(folder, 'page.js'),
        `import * as client from '@tradepost/client';\nglobalThis.tradepost = client;\n`,
      );
      const built = await rolldown({ cwd: folder, input: 'page.js', platform: 'browser' });
      const { output } = await built.generate({ format: 'iife' });
      await built.close();
      expect(output).toHaveLength(1);
      expect(output[0].imports).toEqual([]);
      bundle = output[0].code;
    });

    it('needs nothing of Node', async () => {
      const {
        AbortController,
        crypto,
        fetch,
        FormData,
        Headers,
        Response,
        TextDecoder,
        URL,
        URLSearchParams,
      } = globalThis;
      const web = {
        AbortController,
        crypto,
        fetch,
        FormData,
        Headers,
        Response,
        TextDecoder,
        URL,
        URLSearchParams,
      };
      const context = createContext({ ...web, setTimeout, clearTimeout, at: app.url });
      const call = `${bundle};\nnew tradepost.TradepostClient({ url: at }).get('/time')`;
      expect(await runInContext(call, context)).toMatchObject({ sequence: expect.any(Number) });
    });

    it.skipIf(!hasBrowser)('trades and follows all its streams in one', async () => {
      const browser = await HeadlessBrowser.launch();
      try {
        const page = await browser.newPage({ bypassCSP: true });
        await page.goto(`${app.url}/health/live`);
        await page.evaluate(bundle);
        expect(await page.evaluate(PAGE)).toEqual({
          status: 'open',
          bestBid: '41000',
          account: 'account.snapshot',
          text: 'From a page',
          refusal: 'order_not_found',
        });
      } finally {
        await browser.close();
      }
    });
  });
});

/** What the page does, as text: it runs in another world. */
const PAGE = `(async () => {
  const { TradepostClient, TradepostError, clientCredentials } = tradepost;
  const client = new TradepostClient({
    url: location.origin,
    credentials: clientCredentials({ clientId: 'demo', clientSecret: 'demo-secret' }),
  });
  const first = async (stream) => {
    for await (const event of stream) return event;
  };
  const body = { market_id: 'ETH-USD', side: 'buy', type: 'limit', price: '41000', size: '0.1' };
  const { status } = await client.post('/orders', { body });
  const book = await first(client.book('ETH-USD'));
  const account = await first(client.account());
  const { room_id } = await client.post('/chat/rooms', { body: { name: 'Page', type: 'public' } });
  const path = { room_id };
  await client.post('/chat/rooms/{room_id}/messages', { params: { path }, body: { text: 'From a page' } });
  let text;
  for await (const { type, data } of client.room(room_id, { after: 0 })) {
    text = data.text;
    if (type === 'message.new') break;
  }
  const refusal = await client
    .get('/orders/{order_id}', { params: { path: { order_id: 'ord_00000000000' } } })
    .catch((error) => error instanceof TradepostError && error.code);
  return { status, bestBid: book.bids[0][0], account: account.type, text, refusal };
})()`;

/** `…` stands for anything within a line. */
function patternOf(output: string): RegExp {
  const literal = output.trimEnd().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('…', '.+')}\\n$`);
}
