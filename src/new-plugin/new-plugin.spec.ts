import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlugin } from './new-plugin.js';

const TEMPLATE = 'templates/plugin';

describe('newPlugin', () => {
  let parent: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'tradepost-new-plugin-'));
    await writeFile(join(parent, 'a-file'), '');
    await mkdir(join(parent, 'full'));
    await writeFile(join(parent, 'full', 'kept'), '');
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  it.each([
    ['full', 'full is not empty: choose another name, or remove it.'],
    ['a-file', 'a-file cannot be written to: ENOTDIR.'],
    ['../outside', '"../outside" is no name for a plugin: it is text of at most 40 characters'],
    ['/tmp', '"/tmp" is no name for a plugin'],
    ['Acme', '"Acme" is no name for a plugin'],
    ['@acme/loyalty', '"@acme/loyalty" is no name for a plugin'],
    ['', '"" is no name for a plugin'],
    ['a'.repeat(41), 'is no name for a plugin'],
    ['tradepost', '"tradepost" is a reserved name: choose another.'],
    ['node-modules', '"node-modules" is a reserved name'],
    ['fs', '"fs" is a reserved name'],
  ])('refuses %s', async (name, why) => {
    await expect(newPlugin(name, parent, TEMPLATE)).rejects.toThrow(
      expect.objectContaining({ name: 'StartRefusal', message: expect.stringContaining(why) as string }),
    );
    expect((await readdir(parent)).sort()).toEqual(['a-file', 'full']);
  });

  it.each(['{ "workspaces": { "packages": [] } }', '{ broken', '"text"'])(
    'writes nothing beside a package of %s',
    async (manifest) => {
      const team = join(parent, 'team');
      await mkdir(team);
      try {
        await writeFile(join(team, 'package.json'), manifest);
        await expect(newPlugin('desk-notes', team, TEMPLATE)).rejects.toThrow(
          expect.objectContaining({
            name: 'StartRefusal',
            message: expect.stringContaining('package.json must be JSON whose') as string,
          }),
        );
        expect(await readdir(team)).toEqual(['package.json']);
        expect(await readFile(join(team, 'package.json'), 'utf8')).toBe(manifest);
      } finally {
        await rm(team, { recursive: true });
      }
    },
  );

  it('gives the plugin its name everywhere, in an empty folder', async () => {
    await mkdir(join(parent, 'desk-2-notes'));
    const folder = await newPlugin('desk-2-notes', parent, TEMPLATE);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) =>
      file.isFile(),
    );
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['.gitignore', 'README.md', 'package.json', 'tsconfig.json', 'plugin.ts']),
    );
    for (const { parentPath, name } of files) {
      expect(await readFile(join(parentPath, name), 'utf8'), name).not.toMatch(/acme|loyalty/i);
    }
    const names = await readFile(join(folder, 'src/names.ts'), 'utf8');
    expect(names).toContain("'DESK_2_NOTES_NOTES_MAX'");
    expect(names).toContain("'desk-2-notes:notes'");
    expect(await readFile(join(folder, 'src/plugin.ts'), 'utf8')).toContain('class Desk2NotesPlugin');
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    expect(Object.values({ ...manifest['peerDependencies'], ...manifest['devDependencies'] })).not.toContain(
      '*',
    );
  });
});
