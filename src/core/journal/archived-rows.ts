/** Single rows of the journal that have left its table, read from the files of the archive where these can be reached. */
import { type FileHandle, open } from 'node:fs/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CoalescedWork } from '../../kit/coalesced-work.js';
import { presentOwner } from '../../kit/turns/owner.js';
import { TurnQueue } from '../../kit/turns/turn-queue.js';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { type MemberIndex, readIndex } from './archive-members.js';
import { type ArchiveFile, listArchiveFiles, readArchivedEntry } from './journal-archive.js';
import { chainFault } from './journal-chain.js';
import type { JournalEntry } from './journal-reader.js';

/** What is known of a row without its file: enough to tell whether that has the row itself. */
export interface KnownRow {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly timeMs: number;
  readonly previousHash: string;
  readonly hash: string;
}

/** A row as it was committed, or why it is not there: no file tells where it has it, or one is not what was written. */
export type ArchivedRow = { readonly entry: JournalEntry } | { readonly missing: 'none' | 'unreadable' };

/** Each has a part of a file in memory, a quarter of a megabyte unless a commit was larger. */
const BOUNDS = { runningMax: 2, ownerRunningMax: 1, waitingMax: 1_000, ownerWaitingMax: 100 };
/** Each is some kilobytes. */
const INDEXES_KEPT_MAX = 64;
/** Anybody may ask for trades, so a file is named in the log now and then, and not for each who asks. */
const WARN_EVERY_MS = 60_000;
const WARNED_MAX = 1_000;

@Injectable()
export class ArchivedRows {
  private readonly logger = new Logger(ArchivedRows.name);
  private readonly folder: string;
  private readonly reading = new TurnQueue(BOUNDS);
  private readonly listing = new CoalescedWork(async () => {
    this.files = await listArchiveFiles(this.folder);
  });
  /** By the file, and what tells it from another one of its name. */
  private readonly indexes = new LRUCache<string, MemberIndex>({ max: INDEXES_KEPT_MAX });
  private readonly warned = new LRUCache<string, true>({ max: WARNED_MAX, ttl: WARN_EVERY_MS });
  /** As listed last: files are added, and rarely moved away. */
  private files: readonly ArchiveFile[] = [];

  constructor(@Inject(CONFIG) { journalArchive }: Config) {
    this.folder = journalArchive;
  }

  /** Reads a small part of one file, whatever that has. Throws `rate_limited` where too many ask at once. */
  find(row: KnownRow): Promise<ArchivedRow> {
    return this.reading.take(presentOwner(), () => this.read(row));
  }

  private async read(row: KnownRow): Promise<ArchivedRow> {
    let path = this.folder;
    let handle: FileHandle | undefined;
    try {
      const opened = await this.open(row.firstSequence);
      if (opened === null) return { missing: 'none' };
      ({ path, handle } = opened);
      const index = await this.indexOf(path, handle);
      if (index === null) {
        this.warnOnce(path, { msg: 'a file of the archive has no index: no receipts of its rows' });
        return { missing: 'none' };
      }
      const entry = await readArchivedEntry(handle, index, row.firstSequence);
      const fault = faultOf(entry, row);
      if (fault !== null) throw new Error(fault);
      return { entry };
    } catch (error) {
      this.warnOnce(path, {
        msg: 'a row of the archive cannot be read',
        sequence: row.firstSequence,
        err: error,
      });
      return { missing: 'unreadable' };
    } finally {
      // Of what was only read nothing is lost.
      await handle?.close().catch(() => undefined);
    }
  }

  /** The file that has a sequence by its name. It may be newer than the list, or have been moved away since. */
  private async open(
    sequence: number,
  ): Promise<{ readonly path: string; readonly handle: FileHandle } | null> {
    for (const isListed of [true, false]) {
      if (!isListed) await this.listing.take();
      const file = this.files.find(
        ({ firstSequence, lastSequence }) => firstSequence <= sequence && sequence <= lastSequence,
      );
      const handle = file && (await openIfThere(file.path));
      if (handle !== undefined) return { path: file!.path, handle };
    }
    return null;
  }

  private async indexOf(path: string, handle: FileHandle): Promise<MemberIndex | null> {
    const { size, mtimeMs, ino } = await handle.stat();
    const name = `${path} ${ino} ${size} ${mtimeMs}`;
    const known = this.indexes.get(name);
    if (known !== undefined) return known;
    const index = await readIndex(handle, size);
    if (index !== null) this.indexes.set(name, index);
    return index;
  }

  private warnOnce(
    path: string,
    what: { readonly msg: string; readonly sequence?: number; readonly err?: unknown },
  ): void {
    if (this.warned.has(path)) return;
    this.warned.set(path, true);
    this.logger.warn({ ...what, path });
  }
}

/** Why what a file has is not the row; null where it is, as the hash covers all of its content. */
function faultOf(entry: JournalEntry, row: KnownRow): string | null {
  if (entry.lastSequence !== row.lastSequence || entry.timeMs !== row.timeMs)
    return 'its end or its time is not that of the row';
  if (entry.hash !== row.hash) return 'its hash is not the one that was signed';
  return chainFault({ sequence: row.firstSequence - 1, hash: row.previousHash }, entry);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
