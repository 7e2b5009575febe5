import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../scripts/support/service-process.js';

const TIMEOUT_MS = 120_000;
const PACKED_BYTES_MAX = 1_500_000;

/** As a JavaScript project has it, without a compiler for decorators. */
const PLUGIN = `
import { Controller, Get, Module } from '@nestjs/common';
import { CoreService, Public } from 'tradepost';

class HelloController {
  constructor(core) {
    this.core = core;
  }
  hello() {
    return { hello: 'plugin', markets: this.core.markets().length };
  }
}
Get()(HelloController.prototype, 'hello', Object.getOwnPropertyDescriptor(HelloController.prototype, 'hello'));
Reflect.defineMetadata('design:paramtypes', [CoreService], HelloController);
Public()(HelloController);
Controller('acme/hello')(HelloController);

class HelloModule {}
Module({ controllers: [HelloController] })(HelloModule);

export default { name: 'acme-hello', compatibility: '^0.1.0', module: HelloModule };
`;

interface Packed {
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** A folder with the package as its tarball has it, beside the packages that it depends on. */
describe('the package', { timeout: TIMEOUT_MS }, () => {
  let folder: string;
  let packed: Packed;
  let entry: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-package-'));
    const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      encoding: 'utf8',
    });
    [packed] = JSON.parse(stdout) as [Packed];
    const modules = join(folder, 'node_modules');
    const installed = join(modules, 'tradepost');
    await mkdir(modules);
    for (const name of await readdir('node_modules')) {
      if (!name.startsWith('.')) await symlink(resolve('node_modules', name), join(modules, name));
    }
    for (const { path } of packed.files) await cp(path, join(installed, path));
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
      bin: { tradepost: string };
    };
    entry = join(installed, bin.tradepost);
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    await writeFile(join(folder, 'hello.js'), PLUGIN);
  }, TIMEOUT_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const start = (plugins: string): Promise<ServiceProcess> =>
    ServiceProcess.start({ entry, env: { PLUGINS: plugins } });

  it('has the service and its types, and neither sources nor tests', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['dist/src/index.js', 'dist/src/index.d.ts', 'dist/src/main.js']),
    );
    expect(paths.filter((path) => /\.spec\.|\.map$|^(?:test|bench|scripts|examples)\//.test(path))).toEqual(
      [],
    );
    expect(paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
    expect(packed.size).toBeLessThanOrEqual(PACKED_BYTES_MAX);
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
    ['pg', /PLUGINS: the default export of pg is no plugin; it needs a name/],
    ['HELLO,HELLO', /Two plugins are named "acme-hello"/],
  ])('says in one line what is wrong with %s', async (plugins, why) => {
    const named = plugins.replaceAll('HELLO', join(folder, 'hello.js'));
    await expect(start(named)).rejects.toThrow(why);
  });
});
