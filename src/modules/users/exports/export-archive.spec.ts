import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { filesOfZip } from '../../../../test/support/zip.js';
import type { ExportingOwner, PersonalSection } from '../../../kit/personal-data/personal-data.js';
import { ExportArchive } from './export-archive.js';

const ROWS = 100_000;
const OWNER: ExportingOwner = {
  userId: '7',
  username: 'alice',
  key: 'user:7',
  accountIds: [],
  tradingAccountIds: [],
  principal: {
    kind: 'user',
    key: 'user:7',
    id: 'alice',
    accountOwner: 'user:7',
    accountId: null,
    scopes: new Set(),
  },
};
const HEAD = {
  exportId: 'exp_00000000001',
  username: 'alice',
  startedAt: '2026-11-20T09:00:00.000Z',
  ledgerSequence: 42,
};

function section(name: string, rows: () => AsyncIterable<object>): PersonalSection {
  return { name, holds: 'rows', rows };
}

async function* many(count = ROWS): AsyncGenerator<object> {
  for (let row = 0; row < count; row++) {
    yield { row, text: `=HYPERLINK("${row}")`, ...(row % 7 === 3 && { seldom: [row] }) };
    if (row % 1_000 === 0) await delay(0);
  }
}

class Progress {
  rows: number[] = [];
  sections = 0;
  onRows(count: number): Promise<void> {
    this.rows.push(count);
    return Promise.resolve();
  }
  onSection(): Promise<void> {
    this.sections++;
    return Promise.resolve();
  }
}

describe('an archive', () => {
  it('holds a hundred thousand rows as JSON and as CSV, and says how far it is', async () => {
    const progress = new Progress();
    const archive = new ExportArchive(progress, new AbortController().signal);
    const reading = buffer(archive.content);
    await archive.write([section('many', () => many()), section('none', () => many(0))], OWNER, HEAD);
    const files = filesOfZip(await reading);
    const rows = JSON.parse(files.get('many.json')!.toString('utf8')) as { row: number }[];
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, row) => row));
    const lines = files.get('many.csv')!.toString('utf8').split('\r\n');
    expect(lines).toHaveLength(ROWS + 2);
    // The third column came with the fourth row; formulas are defused.
    expect(lines[0]).toBe('row,text,seldom');
    expect(lines[1]).toBe(`0,"'=HYPERLINK(""0"")",`);
    expect(lines[4]).toBe(`3,"'=HYPERLINK(""3"")",[3]`);
    expect(files.get('none.json')!.toString('utf8')).toBe('[]\n');
    expect(files.get('none.csv')!.length).toBe(0);
    expect(progress.sections).toBe(2);
    expect(progress.rows.length).toBeGreaterThan(100);
    expect(progress.rows.reduce((sum, count) => sum + count, 0)).toBe(ROWS);
  });

  it('fails as its rows do, and leaves nobody waiting', async () => {
    const archive = new ExportArchive(new Progress(), new AbortController().signal);
    const broken = section('broken', async function* () {
      yield* many(10);
      throw new Error('the database is gone');
    });
    archive.content.resume();
    await expect(archive.write([broken], OWNER, HEAD)).rejects.toThrow('the database is gone');
  });

  it('fails as one of its files does', async () => {
    const archive = new ExportArchive(new Progress(), new AbortController().signal);
    const broken: PersonalSection = {
      ...section('broken', () => many(10)),
      async *files() {
        await delay(0);
        yield { name: 'image.png', content: undefined as never };
      },
    };
    archive.content.resume();
    await expect(archive.write([broken], OWNER, HEAD)).rejects.toThrow(TypeError);
  });

  it('ends where nobody reads it any more', async () => {
    const stop = new AbortController();
    const archive = new ExportArchive(new Progress(), stop.signal);
    const writing = archive.write([section('many', () => many())], OWNER, HEAD);
    setTimeout(() => stop.abort(new Error('the disk is full')), 50);
    await expect(writing).rejects.toThrow();
  });
});
