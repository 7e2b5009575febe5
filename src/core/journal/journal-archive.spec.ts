import { execFileSync } from 'node:child_process';
import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { journalEntries } from '../../../test/support/journal-entries.js';
import { type MemberIndex, MemberWriter, readIndex, readArchiveMember } from './archive-members.js';
import { type ArchiveFile, readArchivedEntry, readArchiveFile, writeArchiveFile } from './journal-archive.js';
import type { JournalEntry } from './journal-reader.js';

const ENTRIES = journalEntries(40);
const BYTES_PER_MEMBER = 1_500;

describe('a file of the archive', () => {
  let folder: string;
  let file: ArchiveFile;
  let whole: Buffer;
  let index: MemberIndex;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-members-'));
    file = await writeArchiveFile(folder, streamOf(ENTRIES), { bytesPerMember: BYTES_PER_MEMBER });
    whole = await readFile(file.path);
    index = (await withFile(indexOf))!;
  });
  afterEach(() => rm(folder, { recursive: true }));

  const withFile = async <T>(work: (handle: FileHandle) => Promise<T>): Promise<T> => {
    const handle = await open(file.path);
    try {
      return await work(handle);
    } finally {
      await handle.close();
    }
  };
  const indexOf = async (handle: FileHandle) => readIndex(handle, (await handle.stat()).size);
  /** What is found of each entry; null where that is refused. */
  const findAll = (): Promise<(JournalEntry | null)[] | 'no index'> =>
    withFile(async (handle) => {
      const index = await indexOf(handle);
      if (index === null) return 'no index';
      return Promise.all(
        ENTRIES.map(({ firstSequence }) => readArchivedEntry(handle, index, firstSequence).catch(() => null)),
      );
    });
  const readAll = async (): Promise<JournalEntry[]> => {
    const entries: JournalEntry[] = [];
    for await (const entry of readArchiveFile(file)) entries.push(entry);
    return entries;
  };
  const indexBegin = (): number => index.at(-1)!.offset;

  it('has many members, which everybody reads as one text', async () => {
    expect(index.length).toBeGreaterThan(10);
    expect(await readAll()).toEqual(ENTRIES);
    const text = gunzipSync(whole);
    expect(text.toString().split('\n')).toHaveLength(ENTRIES.length + 1);
    expect(execFileSync('gzip', ['-dc', file.path])).toEqual(text);
    execFileSync('gzip', ['-t', file.path]);
  });

  it('tells each entry from one member alone', async () => {
    expect(await findAll()).toEqual(ENTRIES);
    // All other members are overwritten.
    for (const [place, { sequence, offset }] of index.slice(0, -1).entries()) {
      const end = index[place + 1]!;
      const damaged = Buffer.alloc(whole.length);
      whole.copy(damaged, offset, offset, end.offset);
      whole.copy(damaged, indexBegin(), indexBegin());
      await writeFile(file.path, damaged);
      const found = await findAll();
      expect(found).toEqual(
        ENTRIES.map((entry) =>
          entry.firstSequence >= sequence && entry.firstSequence < end.sequence ? entry : null,
        ),
      );
    }
  });

  it('has nothing at sequences where none of its entries begins', async () => {
    const begins = new Set(ENTRIES.map(({ firstSequence }) => firstSequence));
    await withFile(async (handle) => {
      for (let sequence = -1; sequence <= file.lastSequence + 3; sequence++)
        if (!begins.has(sequence)) await expect(readArchivedEntry(handle, index, sequence)).rejects.toThrow();
    });
  });

  it('is written up to a size, and goes on in the next one', async () => {
    const entries = streamOf(ENTRIES);
    const first = await writeArchiveFile(folder, entries, { bytesPerFile: 4_000 });
    expect(gunzipSync(await readFile(first.path)).length).toBeLessThan(6_000);
    expect(first.firstSequence).toBe(1);
    expect(first.lastSequence).toBeLessThan(ENTRIES.at(-1)!.firstSequence);
    const one = await writeArchiveFile(folder, streamOf(ENTRIES.slice(7)), { bytesPerFile: 1 });
    expect(one).toMatchObject({
      firstSequence: ENTRIES[7]!.firstSequence,
      lastSequence: ENTRIES[7]!.lastSequence,
    });
  });

  it('of an earlier version has no index, and is read in order', async () => {
    await writeFile(file.path, gzipSync(gunzipSync(whole)));
    expect(await findAll()).toBe('no index');
    expect(await readAll()).toEqual(ENTRIES);
  });

  it('that ends too early has no index, wherever that is', async () => {
    for (let length = whole.length - 1; length >= 0; length -= length > indexBegin() ? 1 : 97) {
      await writeFile(file.path, whole.subarray(0, length));
      expect([length, await findAll()]).toEqual([length, 'no index']);
      if (length === indexBegin()) expect(await readAll()).toEqual(ENTRIES);
      else await expect(readAll()).rejects.toThrow(file.path);
    }
  });

  it('with a damaged index gives no entry for another', async () => {
    for (let at = indexBegin(); at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1 << (at % 8);
      await writeFile(file.path, damaged);
      const found = await findAll();
      if (found === 'no index') continue;
      for (const [place, entry] of found.entries()) if (entry !== null) expect(entry).toEqual(ENTRIES[place]);
    }
  });

  it('with an index that points elsewhere gives no entry for another', async () => {
    const shifted = index.map(({ sequence, offset }, place) => ({
      sequence,
      offset: index[place + 1]?.offset ?? offset,
    }));
    const lies: MemberIndex[] = [
      shifted.slice(0, -1),
      index.map(({ sequence, offset }) => ({ sequence: sequence + 40, offset })),
      index.map(({ sequence, offset }, place) => ({ sequence, offset: place === 0 ? 0 : offset + 3 })),
    ];
    for (const lie of lies)
      await withFile(async (handle) => {
        for (const [place, { firstSequence }] of ENTRIES.entries()) {
          const entry = await readArchivedEntry(handle, lie, firstSequence).catch(() => null);
          if (entry !== null) expect(entry).toEqual(ENTRIES[place]);
        }
      });
  });

  it('inflates no more than a bound, whatever a member has', async () => {
    const handle = await open(join(folder, 'bomb'), 'w+');
    try {
      const writer = new MemberWriter(handle, 1);
      await writer.add(1, 'x'.repeat(65 * 2 ** 20));
      await writer.end(2);
      const bomb = (await readIndex(handle, (await handle.stat()).size))!;
      await expect(readArchiveMember(handle, bomb, 1)).rejects.toMatchObject({
        code: 'ERR_BUFFER_TOO_LARGE',
      });
      const long = [
        { sequence: 1, offset: 0 },
        { sequence: 2, offset: 2 ** 40 },
      ];
      await expect(readArchiveMember(handle, long, 1)).rejects.toThrow('larger');
    } finally {
      await handle.close();
    }
  });
});

async function* streamOf(entries: readonly JournalEntry[]): AsyncGenerator<JournalEntry> {
  yield* entries;
}
