import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { FileStore, requireFileName, type StoredFile } from './file-store.js';

/** Only the service may read its files. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Longer than any write takes: older files were interrupted. */
const UNFINISHED_FOR_MAX_MS = 3_600_000;

/** The default: a folder, `files` under `DATA_DIR`, created with the first file. */
@Injectable()
export class FolderFileStore extends FileStore implements OnModuleInit {
  private readonly root: string;
  /** Files are written here and then linked to their names; the dot keeps it apart from the folders of names. */
  private readonly unfinished: string;

  constructor(@Inject(CONFIG) { dataDir }: Config) {
    super();
    this.root = join(dataDir, 'files');
    this.unfinished = join(this.root, '.unfinished');
  }

  /** Removes unfinished files of an earlier process. */
  async onModuleInit(): Promise<void> {
    const names = await unlessMissing(readdir(this.unfinished));
    for (const name of names ?? []) {
      const path = join(this.unfinished, name);
      const state = await unlessMissing(stat(path));
      if (state && Date.now() - state.mtimeMs > UNFINISHED_FOR_MAX_MS) await rm(path, { force: true });
    }
  }

  override async put(name: string, content: Buffer): Promise<void> {
    await this.store(name, content);
  }

  override async putStream(name: string, content: Readable): Promise<void> {
    await this.store(name, content);
  }

  override async open(name: string): Promise<StoredFile | undefined> {
    const file = await unlessMissing(open(this.pathOf(name), 'r'));
    if (file === undefined) return undefined;
    const { size } = await file.stat();
    return { sizeBytes: size, stream: file.createReadStream() };
  }

  override async delete(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true });
  }

  private async store(name: string, content: Buffer | Readable): Promise<void> {
    const path = this.pathOf(name);
    const unfinished = join(this.unfinished, randomUUID());
    for (const folder of [this.unfinished, dirname(path)]) {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    }
    try {
      await writeFile(unfinished, content, { flag: 'wx', mode: FILE_MODE, flush: true });
      // Unlike a rename, a link never takes the place of another file.
      await link(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
    // A name is durable only after its folder is synced; the folder itself may be new as well.
    await syncFolder(dirname(path));
    await syncFolder(this.root);
  }

  private pathOf(name: string): string {
    requireFileName(name);
    return join(this.root, name);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
