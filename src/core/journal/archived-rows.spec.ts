import { mkdtemp, open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { journalEntries } from '../../../test/support/journal-entries.js';
import type { Config } from '../../kit/config/config.js';
import { MemberWriter, readIndex } from './archive-members.js';
import { ArchivedRows } from './archived-rows.js';
import { type ArchiveFile, writeArchiveFile } from './journal-archive.js';
import type { JournalEntry } from './journal-reader.js';

const ENTRIES = journalEntries(60);
const NONE = { missing: 'none' };
const UNREADABLE = { missing: 'unreadable' };

describe('rows of the archive', () => {
  let folder: string;
  let rows: ArchivedRows;
  let warn: ReturnType<typeof vi.spyOn>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-rows-'));
    rows = new ArchivedRows({ journalArchive: folder } as Config);
    warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  });
  afterEach(async () => {
    warn.mockRestore();
    await rm(folder, { recursive: true, force: true });
  });

  const write = (entries: readonly JournalEntry[]): Promise<ArchiveFile> =>
    writeArchiveFile(folder, streamOf(entries), { bytesPerMember: 1_500 });
  const found = (entries: readonly JournalEntry[]): unknown[] => entries.map((entry) => ({ entry }));
  const findAll = (entries: readonly JournalEntry[]) => Promise.all(entries.map((entry) => rows.find(entry)));

  it('are found in whatever file has them, in new ones as well', async () => {
    expect(await rows.find(ENTRIES[0]!)).toEqual(NONE);
    await write(ENTRIES.slice(0, 20));
    expect(await findAll(ENTRIES.slice(0, 20))).toEqual(found(ENTRIES.slice(0, 20)));
    expect(await rows.find(ENTRIES[20]!)).toEqual(NONE);
    await write(ENTRIES.slice(20, 40));
    expect(await findAll(ENTRIES.slice(0, 40))).toEqual(found(ENTRIES.slice(0, 40)));
    expect(await rows.find(ENTRIES[40]!)).toEqual(NONE);
    expect(warn).not.toHaveBeenCalled();
  });

  it('are found where files before them are missing', async () => {
    const first = await write(ENTRIES.slice(0, 20));
    await write(ENTRIES.slice(30, 40));
    await rm(first.path);
    expect(await rows.find(ENTRIES[35]!)).toEqual({ entry: ENTRIES[35] });
    expect(await rows.find(ENTRIES[5]!)).toEqual(NONE);
  });

  it('are gone with the folder, and come back with it', async () => {
    await write(ENTRIES);
    expect(await rows.find(ENTRIES[7]!)).toEqual({ entry: ENTRIES[7] });
    await rename(folder, `${folder}-away`);
    expect(await rows.find(ENTRIES[7]!)).toEqual(NONE);
    await rename(`${folder}-away`, folder);
    expect(await rows.find(ENTRIES[7]!)).toEqual({ entry: ENTRIES[7] });
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file');
    expect(await rows.find(ENTRIES[7]!)).toEqual(UNREADABLE);
  });

  it('are not looked for in files of earlier versions', async () => {
    const { path } = await write(ENTRIES);
    await writeFile(path, gzipSync(gunzipSync(await readFile(path))));
    expect(await findAll(ENTRIES)).toEqual(ENTRIES.map(() => NONE));
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('are never those of another history, another place or another time', async () => {
    const others = journalEntries(60, 'two');
    const { path } = await write(others);
    expect(await findAll(ENTRIES)).toEqual(ENTRIES.map(() => UNREADABLE));
    // It is named once, however many ask.
    expect(warn.mock.calls).toEqual([
      [
        expect.objectContaining({
          path,
          sequence: expect.any(Number) as number,
          err: expect.any(Error) as Error,
        }),
      ],
    ]);
    const [row] = others;
    expect(await rows.find(row!)).toEqual({ entry: row });
    for (const other of [{ lastSequence: 1e6 }, { timeMs: 7 }, { hash: 'ab' }, { previousHash: 'ab' }])
      expect(await rows.find({ ...row!, ...other })).toEqual(UNREADABLE);
  });

  it('are not those of a file with the name of another one', async () => {
    const [one, two] = [await write(ENTRIES.slice(0, 30)), await write(ENTRIES.slice(30))];
    expect(await findAll(ENTRIES)).toEqual(found(ENTRIES));
    const swap = async () => {
      await rename(one.path, `${one.path}.other`);
      await rename(two.path, one.path);
      await rename(`${one.path}.other`, two.path);
    };
    await swap();
    expect(await findAll(ENTRIES)).toEqual(ENTRIES.map(() => UNREADABLE));
    await swap();
    expect(await findAll(ENTRIES)).toEqual(found(ENTRIES));
  });

  it('are refused where their own bytes are damaged, and mended by a copy', async () => {
    const { path } = await write(ENTRIES);
    const whole = await readFile(path);
    expect(await findAll(ENTRIES)).toEqual(found(ENTRIES));
    const damaged = Buffer.from(whole).fill(0, 20, 40);
    await writeFile(path, damaged);
    const answers = await findAll(ENTRIES);
    expect(answers[0]).toEqual(UNREADABLE);
    expect(answers.at(-1)).toEqual({ entry: ENTRIES.at(-1) });
    await truncate(path, whole.length - 1);
    expect(await rows.find(ENTRIES.at(-1)!)).toEqual(NONE);
    await writeFile(path, whole);
    expect(await findAll(ENTRIES)).toEqual(found(ENTRIES));
  });

  it.each<[string, (line: Record<string, unknown>) => unknown]>([
    ['a figure', (line) => ({ ...line, effects: 'AQA=' })],
    ['a time as text', (line) => ({ ...line, time_ms: String(line.time_ms) })],
    ['a sequence as text', (line) => ({ ...line, last_sequence: String(line.last_sequence) })],
    ['no effects', ({ effects: _, ...line }) => line],
    ['effects of another type', (line) => ({ ...line, effects: { length: 1 } })],
    ['no line feed that ends it', (line) => JSON.stringify(line).slice(0, 90)],
  ])('are refused with %s', async (_, change) => {
    // Of one row, so the file has one member, which is written anew under an index of its own.
    const [row] = ENTRIES;
    const { path } = await write([row!]);
    const line = JSON.parse(gunzipSync(await readFile(path)).toString()) as Record<string, unknown>;
    const changed = change(line);
    const text = typeof changed === 'string' ? changed : JSON.stringify(changed);
    await writeFile(path, await withIndex(text));
    expect(await rows.find(row!)).toEqual(UNREADABLE);
    await writeFile(path, await withIndex(JSON.stringify(line)));
    expect(await rows.find(row!)).toEqual({ entry: row });
  });

  it('are read some at a time, and too many who ask at once are turned away', async () => {
    await write(ENTRIES);
    const asked = Array.from({ length: 300 }, (_, place) => ENTRIES[place % ENTRIES.length]!);
    const answers = await Promise.allSettled(asked.map((row) => rows.find(row)));
    const given = answers.filter(({ status }) => status === 'fulfilled');
    expect(given.length).toBeGreaterThanOrEqual(100);
    for (const [place, answer] of answers.entries())
      if (answer.status === 'fulfilled') expect(answer.value).toEqual({ entry: asked[place] });
      else expect(answer.reason).toMatchObject({ code: 'rate_limited' });
    expect(given.length).toBeLessThan(answers.length);
    expect(await findAll(ENTRIES)).toEqual(found(ENTRIES));
  });

  /** The bytes of a file with this text. */
  const withIndex = async (text: string): Promise<Buffer> => {
    const path = join(folder, 'scratch');
    const handle = await open(path, 'w+');
    try {
      const writer = new MemberWriter(handle, 1);
      await writer.add(1, text);
      await writer.end(ENTRIES[0]!.lastSequence + 1);
      expect(await readIndex(handle, (await handle.stat()).size)).toHaveLength(2);
    } finally {
      await handle.close();
    }
    return readFile(path);
  };
});

async function* streamOf(entries: readonly JournalEntry[]): AsyncGenerator<JournalEntry> {
  yield* entries;
}
