import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService } from '../../src/testing/index.js';
import { HELLO_PLUGIN } from '../support/hello-plugin.js';

const TIMEOUT_MS = 120_000;

/** Of the plugin alone: it has its own idea of a package that is shared, and keeps it. */
const LIBRARY = `
import { version } from 'rxjs';
export const rxjs = version;
`;

/** The service of the clone, as the image has it too, and a plugin in a folder of its own with packages of its own. */
describe('a plugin outside of the service', { timeout: TIMEOUT_MS }, () => {
  let folder: string;
  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  const ofPackage = async (name: string, code: string): Promise<void> => {
    await write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, type: 'module', main: 'index.js' }),
    );
    await write(`node_modules/${name}/index.js`, code);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-outside-'));
    await write('package.json', '{"name": "acme-hello", "type": "module", "main": "src/index.js"}');
    await write('src/hello.js', HELLO_PLUGIN);
    await write(
      'src/index.js',
      `import { rxjs } from 'acme-library';
       if (rxjs !== 'own') throw new Error('the library got another copy');
       export { default } from './hello.js';`,
    );
    await ofPackage('acme-library', LIBRARY);
    await ofPackage('rxjs', `export const version = 'own';`);
    await ofPackage('@nestjs/common', `throw new Error('a second copy of Nest was loaded');`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('gets the service that runs, and what it shares, and keeps what else it brings', async () => {
    // By a link, as npm makes one for a workspace.
    const link = `${folder}-link`;
    await symlink(folder, link);
    const service = await TestService.start({ plugins: [link] });
    try {
      const urls = await service.processes(2);
      expect(new Set(urls).size).toBe(2);
      const hello = await service.anonymous.get('/acme/hello');
      expect(hello.body).toEqual({ hello: 'plugin', markets: expect.any(Number) as number });
      // The second one does not lead, and has the route all the same.
      const document = await fetch(`${urls[1]}/openapi.json`);
      expect(((await document.json()) as { readonly paths: object }).paths).toHaveProperty('/acme/hello');
    } finally {
      await service.close();
      await rm(link);
    }
  });
});
