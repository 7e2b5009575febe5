import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Config } from './kit/config/config.js';

/** The number is no secret: anyone with access to the folder may read it. */
const MODE = 0o644;

/**
 * `tradepost.pid` in DATA_DIR: the process that serves from there, so that it can be signalled without guessing. A
 * crash leaves it behind, and the next start overwrites it; of several on one folder it names the newest.
 */
export class PidFile {
  private readonly path: string;

  constructor(private readonly config: Pick<Config, 'dataDir'>) {
    this.path = join(config.dataDir, 'tradepost.pid');
  }

  /** Written atomically. A folder that is not writable is logged, and is no reason to stop. */
  async write(): Promise<void> {
    const unfinished = `${this.path}.${process.pid}`;
    try {
      await mkdir(this.config.dataDir, { recursive: true });
      await writeFile(unfinished, String(process.pid), { mode: MODE });
      await chmod(unfinished, MODE);
      await rename(unfinished, this.path);
    } catch (error) {
      new Logger('Service').warn(`There is no pid file: ${(error as Error).message}`);
    }
  }

  /** At a clean stop; that of another process stays. */
  async remove(): Promise<void> {
    const written = await readFile(this.path, 'utf8').catch(() => undefined);
    if (written === String(process.pid)) await rm(this.path, { force: true });
  }
}
