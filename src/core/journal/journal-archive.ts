/**
 * The archive of the journal: files of whole entries in their order, each a line of JSON, compressed by gzip. A
 * file's name says from which sequence to which it goes.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type MemberIndex, MemberWriter, readArchiveMember } from './archive-members.js';
import type { JournalEntry } from './journal-reader.js';

/** Of the lines, before compression: a few seconds to write or to read. */
const BYTES_PER_FILE = 128 * 2 ** 20;
/** The same of what is inflated for one line: some milliseconds. Smaller ones compress less well. */
const BYTES_PER_MEMBER = 256 * 2 ** 10;

/** How much text goes into a file, and into each part of it that is compressed by itself; the last line may exceed it. */
export interface ArchiveSizes {
  readonly bytesPerFile?: number;
  readonly bytesPerMember?: number;
}

export interface ArchiveFile {
  readonly path: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
}

/** The archive is not what was written; the message names the file. */
export class ArchiveDamage extends Error {
  constructor(
    /** The first sequence that cannot be read. */
    readonly sequence: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const FILE_NAME = /^journal-(\d{16})-(\d{16})\.ndjson\.gz$/;
const UNFINISHED_NAME = 'journal.unfinished';

/** An entry as a line of a file has it. */
interface ArchivedEntry {
  readonly first_sequence: number;
  readonly last_sequence: number;
  readonly epoch: number;
  readonly engine_version: number;
  readonly time_ms: number;
  readonly commands: string;
  readonly actors: string | null;
  /** In base64. */
  readonly effects: string | null;
  readonly state_hash: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/**
 * The files of a folder, the oldest first; none where there is no such folder.
 * @throws ArchiveDamage where one is missing between others
 */
export async function listArchive(folder: string): Promise<ArchiveFile[]> {
  const files = await listArchiveFiles(folder);
  for (const [index, { path, firstSequence }] of files.entries()) {
    const before = files[index - 1];
    if (before !== undefined && firstSequence !== before.lastSequence + 1)
      throw new ArchiveDamage(
        before.lastSequence + 1,
        `the archive ends at sequence ${before.lastSequence} and goes on with ${path}: what is between is missing`,
      );
  }
  return files;
}

/** The same for who needs single entries, and so not all of the files. */
export async function listArchiveFiles(folder: string): Promise<ArchiveFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.sort().flatMap((name): ArchiveFile[] => {
    const [, first, last] = FILE_NAME.exec(name) ?? [];
    if (first === undefined) return [];
    return [{ path: join(folder, name), firstSequence: Number(first), lastSequence: Number(last) }];
  });
}

/**
 * Writes as many of the entries as one file takes, at least one, to a file of which a crash leaves all or nothing. It is
 * durable when this returns; whether it can be read back is for its reader to say.
 */
export async function writeArchiveFile(
  folder: string,
  entries: AsyncIterable<JournalEntry>,
  { bytesPerFile = BYTES_PER_FILE, bytesPerMember = BYTES_PER_MEMBER }: ArchiveSizes = {},
): Promise<ArchiveFile> {
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, UNFINISHED_NAME);
  let firstSequence = 0;
  let lastSequence = 0;
  const handle = await open(unfinished, 'w');
  try {
    const members = new MemberWriter(handle, bytesPerMember);
    for await (const entry of entries) {
      firstSequence ||= entry.firstSequence;
      ({ lastSequence } = entry);
      await members.add(entry.firstSequence, lineOf(entry));
      if (members.textBytes >= bytesPerFile) break;
    }
    await members.end(lastSequence + 1);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const name = `journal-${padded(firstSequence)}-${padded(lastSequence)}.ndjson.gz`;
  const path = join(folder, name);
  await rename(unfinished, path);
  await syncFolder(folder);
  return { path, firstSequence, lastSequence };
}

/** Removes the files of a killed run. */
export async function removeUnfinished(folder: string): Promise<void> {
  await rm(join(folder, UNFINISHED_NAME), { force: true });
}

/**
 * The entries of a file in order, without checking their content.
 * @throws ArchiveDamage if the file cannot be parsed
 */
export async function* readArchiveFile({
  path,
  firstSequence,
  lastSequence,
}: ArchiveFile): AsyncGenerator<JournalEntry> {
  let sequence = firstSequence - 1;
  try {
    for await (const line of linesOf(path)) {
      const entry = entryOf(line);
      sequence = entry.lastSequence;
      yield entry;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArchiveDamage(sequence + 1, `${path} cannot be read: ${reason}`, { cause: error });
  }
  if (sequence !== lastSequence)
    throw new ArchiveDamage(
      sequence + 1,
      `${path} ends at sequence ${sequence}, not at ${lastSequence} as its name says`,
    );
}

/**
 * The entry that begins at a sequence, without checking its content. Reads a small part of the file alone.
 * @throws where the file is not what its index says
 */
export async function readArchivedEntry(
  file: FileHandle,
  index: MemberIndex,
  firstSequence: number,
): Promise<JournalEntry> {
  const text = await readArchiveMember(file, index, firstSequence);
  // Within the texts of a line all quotes are escaped, so this stands nowhere else.
  const begin = text.indexOf(`{"first_sequence":${firstSequence},`);
  if (begin === -1) throw new Error('the member has no entry that begins at the sequence');
  const end = text.indexOf('\n', begin);
  return entryOf(text.toString('utf8', begin, end === -1 ? text.length : end));
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const source = createReadStream(path);
  const text = createGunzip().setEncoding('utf8');
  // Errors surface through the reading side; a reader that stops also closes the file.
  const piped = pipeline(source, text).catch(() => undefined);
  try {
    let begun = '';
    for await (const chunk of text as AsyncIterable<string>) {
      const lines = chunk.split('\n');
      lines[0] = begun + lines[0]!;
      begun = lines.pop()!;
      yield* lines;
    }
    if (begun !== '') yield begun;
  } finally {
    text.destroy();
    await piped;
  }
}

function lineOf(entry: JournalEntry): string {
  const line: ArchivedEntry = {
    first_sequence: entry.firstSequence,
    last_sequence: entry.lastSequence,
    epoch: entry.epoch,
    engine_version: entry.engineVersion,
    time_ms: entry.timeMs,
    commands: entry.commands,
    actors: entry.actors,
    effects: entry.effects?.toString('base64') ?? null,
    state_hash: entry.stateHash,
    previous_hash: entry.previousHash,
    hash: entry.hash,
  };
  return `${JSON.stringify(line)}\n`;
}

function entryOf(line: string): JournalEntry {
  const entry = JSON.parse(line) as ArchivedEntry;
  return {
    firstSequence: entry.first_sequence,
    lastSequence: entry.last_sequence,
    epoch: entry.epoch,
    engineVersion: entry.engine_version,
    timeMs: entry.time_ms,
    commands: entry.commands,
    actors: entry.actors,
    effects: entry.effects === null ? null : Buffer.from(entry.effects, 'base64'),
    stateHash: entry.state_hash,
    previousHash: entry.previous_hash,
    hash: entry.hash,
  };
}

function padded(sequence: number): string {
  return String(sequence).padStart(16, '0');
}

/** Makes a new name durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
