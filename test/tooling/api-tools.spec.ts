import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureTools } from '../../scripts/support/tools.js';

const run = promisify(execFile);
const DOCUMENT = resolve('openapi.json');

/** Fails to compile where the generated types accept anything, or refuse what the service takes. */
const usesOf = (place: string, list: string): string => `
  const order = { market_id: 'M', side: 'buy', type: 'limit', price: '1', size: '1' } as const;
  const status: 'open' | 'filled' | 'partially_filled' | 'cancelled' | 'expired' | 'rejected' | 'untriggered' | undefined =
    (await ${place.replace('BODY', 'order')}).data?.status;
  const cursor: string | null | undefined = (await ${list}).data?.next_cursor;
  // @ts-expect-error A side that there is not.
  await ${place.replace('BODY', "{ ...order, side: 'hold' }")};
  // @ts-expect-error A price is a string.
  await ${place.replace('BODY', '{ ...order, price: 1 }')};
  void [status, cursor];
`;

/** test/client/package.spec.ts has what openapi-typescript makes, test/tooling/openapi-lint.spec.ts Redocly's rules. */
describe('the clients that generators make of openapi.json', () => {
  let folder: string;
  let packages: string;

  beforeAll(async () => {
    packages = join(await ensureTools('test/tools/documents'), 'node_modules');
    folder = await mkdtemp(join(tmpdir(), 'tradepost-generated-'));
    await symlink(packages, join(folder, 'node_modules'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs a program of the tools on the Node that runs the tests, in the folder. */
  const generate = async (program: string, args: readonly string[]): Promise<void> => {
    await run(process.execPath, [join(packages, program), ...args], { cwd: folder });
  };

  function complaintsAbout(name: string): string[] {
    const program = ts.createProgram([join(folder, name)], {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      skipLibCheck: true,
      types: [],
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ messageText, file, start }) =>
          `${file?.fileName}:${start}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
  }

  it('compiles: hey-api’s, for fetch', async () => {
    const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'];
    const output = join(folder, 'hey-api');
    await generate('@hey-api/openapi-ts/bin/run.js', [
      ...['--input', DOCUMENT, '--output', output, '--no-log-file', '--silent'],
      ...['--plugins', ...plugins],
    ]);
    const uses = usesOf('placeOrder({ body: BODY })', 'listMarkets({ query: { limit: 1 } })');
    await writeFile(
      join(folder, 'hey-api.ts'),
      `import { listMarkets, placeOrder } from './hey-api/index';\nexport async function uses() {${uses}}\n`,
    );
    expect(complaintsAbout('hey-api.ts')).toEqual([]);
  });

  it('compiles: orval’s, for axios', async () => {
    const settings = {
      input: { target: DOCUMENT },
      output: { target: join(folder, 'orval/client.ts'), client: 'axios', mode: 'single' },
    };
    await writeFile(
      join(folder, 'orval.config.mjs'),
      `export default ${JSON.stringify({ tradepost: settings })};\n`,
    );
    await generate('orval/dist/bin/orval.mjs', ['--config', join(folder, 'orval.config.mjs')]);
    const uses = usesOf('client.placeOrder(BODY)', 'client.listMarkets({ limit: 1 })');
    await writeFile(
      join(folder, 'orval.ts'),
      `import { getTradepost } from './orval/client';\nexport async function uses() {\n  const client = getTradepost();${uses}}\n`,
    );
    expect(complaintsAbout('orval.ts')).toEqual([]);
  });
});
