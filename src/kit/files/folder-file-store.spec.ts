import { mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../config/config.js';
import { FolderFileStore } from './folder-file-store.js';

const CONTENT = Buffer.from('a picture');

describe('FolderFileStore', () => {
  let dataDir: string;
  let files: FolderFileStore;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tradepost-files-'));
    files = new FolderFileStore({ dataDir } as Config);
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const read = async (name: string): Promise<Buffer | undefined> => {
    const file = await files.open(name);
    return file && buffer(file.stream);
  };
  const unfinished = (): string => join(dataDir, 'files', '.unfinished');

  it('keeps files by their names', async () => {
    await files.put('pets/rex.png', CONTENT);
    await files.put('pets/empty.png', Buffer.alloc(0));
    expect(await read('pets/rex.png')).toEqual(CONTENT);
    expect(await read('pets/empty.png')).toEqual(Buffer.alloc(0));
    const file = await files.open('pets/rex.png');
    expect(file?.sizeBytes).toBe(CONTENT.length);
    file?.stream.destroy();
    expect(await read('pets/max.png')).toBeUndefined();
    expect(await read('cats/rex.png')).toBeUndefined();
  });

  it('makes its folder when the first file comes, for the service alone', async () => {
    await files.onModuleInit();
    expect(await readdir(dataDir)).toEqual([]);
    await files.put('pets/rex.png', CONTENT);
    expect((await stat(join(dataDir, 'files/pets'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'files/pets/rex.png'))).mode & 0o777).toBe(0o600);
  });

  it('never replaces a file', async () => {
    await files.put('pets/rex.png', CONTENT);
    await expect(files.put('pets/rex.png', Buffer.from('another'))).rejects.toThrow('EEXIST');
    expect(await read('pets/rex.png')).toEqual(CONTENT);
    expect(await readdir(unfinished())).toEqual([]);
  });

  it('keeps one of many that come under one name at once, whole', async () => {
    const contents = Array.from({ length: 8 }, (_, i) => Buffer.alloc(100_000, i));
    const results = await Promise.allSettled(contents.map((content) => files.put('pets/rex.png', content)));
    const winners = contents.filter((_, i) => results[i]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    expect(await read('pets/rex.png')).toEqual(winners[0]);
    expect(await readdir(unfinished())).toEqual([]);
  });

  it('deletes files, also those that are not there', async () => {
    await files.put('pets/rex.png', CONTENT);
    await files.delete('pets/rex.png');
    await files.delete('pets/rex.png');
    await files.delete('cats/tom.png');
    expect(await read('pets/rex.png')).toBeUndefined();
  });

  it('reads a file to its end that is deleted meanwhile', async () => {
    await files.put('pets/rex.png', CONTENT);
    const file = await files.open('pets/rex.png');
    await files.delete('pets/rex.png');
    expect(await buffer(file!.stream)).toEqual(CONTENT);
  });

  it('leaves nothing behind where it fails', async () => {
    await mkdir(join(dataDir, 'files'));
    await writeFile(join(dataDir, 'files/pets'), 'in the way');
    await expect(files.put('pets/rex.png', CONTENT)).rejects.toThrow('EEXIST');
    expect(await readdir(unfinished())).toEqual([]);
    expect(await readFile(join(dataDir, 'files/pets'), 'utf8')).toBe('in the way');
  });

  it('sweeps away at start what was cut short long ago, and nothing else', async () => {
    await files.put('pets/rex.png', CONTENT);
    await writeFile(join(unfinished(), 'old'), 'half');
    await writeFile(join(unfinished(), 'new'), 'half');
    const yesterday = new Date(Date.now() - 24 * 3_600_000);
    await utimes(join(unfinished(), 'old'), yesterday, yesterday);
    await utimes(join(dataDir, 'files/pets/rex.png'), yesterday, yesterday);
    await files.onModuleInit();
    expect(await readdir(unfinished())).toEqual(['new']);
    expect(await read('pets/rex.png')).toEqual(CONTENT);
  });

  it.each([
    '',
    'rex.png',
    'pets/',
    'pets/rex',
    'pets/.png',
    '/pets/rex.png',
    '../pets/rex.png',
    'pets/../rex.png',
    'pets/../../etc/passwd',
    'pets/a/rex.png',
    'pets\\rex.png',
    'pets/rex.png\0',
    'pets/rex.png\n',
    'pets/Rex.png',
    'pets/r€x.png',
    '.unfinished/rex.png',
    `pets/${'x'.repeat(129)}.png`,
  ])('takes no name such as %j', async (name) => {
    await expect(files.put(name, CONTENT)).rejects.toThrow(RangeError);
    await expect(files.open(name)).rejects.toThrow(RangeError);
    await expect(files.delete(name)).rejects.toThrow(RangeError);
    expect(await readdir(dataDir)).toEqual([]);
  });
});
