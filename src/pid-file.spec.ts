import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PidFile } from './pid-file.js';

describe('the pid file', () => {
  let parent: string;
  let path: string;
  let file: PidFile;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'tradepost-pid-'));
    const dataDir = join(parent, 'data');
    path = join(dataDir, 'tradepost.pid');
    file = new PidFile({ dataDir });
  });
  afterEach(() => rm(parent, { recursive: true }));

  it('has the pid and nothing else, for all to read, and goes at a clean stop', async () => {
    await file.write();
    expect(await readFile(path, 'utf8')).toBe(String(process.pid));
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('644');
    expect(await readdir(join(parent, 'data'))).toEqual(['tradepost.pid']);
    await file.remove();
    await expect(stat(path)).rejects.toThrow('ENOENT');
    await file.remove();
  });

  it('takes the place of what a crash left behind', async () => {
    await file.write();
    await writeFile(path, '99999999, and more');
    await file.write();
    expect(await readFile(path, 'utf8')).toBe(String(process.pid));
  });

  it('stays where it names another process by now', async () => {
    await file.write();
    await writeFile(path, '1');
    await file.remove();
    expect(await readFile(path, 'utf8')).toBe('1');
  });

  it('is no reason not to start where it cannot be written', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    await writeFile(join(parent, 'data'), 'no folder');
    await file.write();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('There is no pid file'));
    warn.mockRestore();
  });
});
