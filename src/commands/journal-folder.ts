import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../kit/config/config.js';
import { StartRefusal } from '../kit/config/start-refusal.js';

/** The folder from which the service reads, too, unless another one is named. */
export function archiveFolder(config: Config, named: string | undefined): string {
  return named === undefined ? config.journalArchive : resolve(named);
}

/** The archive to read; undefined where there is none. */
export function existingArchive(config: Config, named: string | undefined): string | undefined {
  const folder = archiveFolder(config, named);
  if (existsSync(folder)) return folder;
  if (named !== undefined) throw new StartRefusal(`there is no folder ${folder}`);
  return undefined;
}
