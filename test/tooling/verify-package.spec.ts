import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveJournal } from '../../src/core/journal/journal-archiver.js';
import { readJournal } from '../../src/core/journal/journal-reader.js';
import { onClient, openFloor, TestCore } from '../support/core.js';
import { createTestDatabase } from '../support/database.js';
import { settleEvent, tradeAtRandom } from '../support/trading-run.js';

/** What `journal:archive` leaves of some trading, and the package as its tarball has it, in a folder with nothing else. */
describe('@tradepost/verify', () => {
  let folder: string;
  let archive: string;
  /** The end of the archive: the journal keeps the row after it. */
  let head: { sequence: number; hash: string };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-verify-'));
    archive = join(folder, 'archive');
    const database = await createTestDatabase();
    const core = await TestCore.start(database.url);
    const floor = await openFloor(core);
    await tradeAtRandom(core, floor, 11, 40);
    await settleEvent(core, 11);
    await core.sequencer.freshTerm().projected();
    await onClient(database.url, async (client) => {
      await archiveJournal(client, { folder: archive, bytesPerFile: 12_000, bytesPerMember: 2_000 });
      const [next] = await readJournal(client, 0, 1);
      head = { sequence: next!.firstSequence - 1, hash: next!.previousHash };
    });
    await core.stop();
    await database.drop();

    const npm = (...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
      if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
      return stdout.trim();
    };
    const tarball = npm('pack', resolve('packages/verify'), '--ignore-scripts', '--silent');
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    npm('install', '--offline', '--no-audit', '--no-fund', `./${tarball}`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const verify = (...args: string[]) => {
    const command = join(folder, 'node_modules/.bin/tradepost-verify');
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    return { status, said: stdout, warned: stderr };
  };
  /** Runs the change on the text of a file that is full, and puts the file back afterwards. */
  const withFull = async (change: (text: string) => string, check: () => void): Promise<void> => {
    const path = join(archive, (await readdir(archive)).sort().at(-2)!);
    const before = await readFile(path);
    await writeFile(path, gzipSync(change(gunzipSync(before).toString())));
    try {
      check();
    } finally {
      await writeFile(path, before);
    }
  };

  it('needs nothing but itself', async () => {
    expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      '@tradepost',
    ]);
  });

  it('proves an archive, and what was noted of it', () => {
    const plain = verify('archive', archive);
    expect(plain).toMatchObject({ status: 0 });
    expect(plain.said).toMatch(
      /^Verified: \d+ journal rows with \d+ commands lead to state hash [0-9a-f]{64}\n/,
    );
    const [, noted] = plain.said.trim().split('\n');
    expect(noted).toBe(`${head.sequence}:${head.hash}`);
    expect(verify('archive', archive, '--expect', noted!, '--expect', noted!.toUpperCase())).toEqual(plain);
  });

  it('can be used by a program', () => {
    const script = `
      import { verifyArchive } from '@tradepost/verify';
      console.log(JSON.stringify(await verifyArchive(${JSON.stringify(archive)})));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, sequence: head.sequence, journalHash: head.hash });
  });

  it.each<[string, (text: string) => string, RegExp]>([
    [
      'a figure',
      (text) => text.replace(/\\"sizeLots\\":\d+/, '\\"sizeLots\\":99'),
      /content does not give its hash/,
    ],
    [
      'a row taken out',
      (text) => text.replace(/^[^\n]+\n/, ''),
      /previous_hash is not the hash of the row before/,
    ],
    ['a row told twice', (text) => text.replace(/^[^\n]+\n/, '$&$&'), /previous_hash is not the hash/],
    ['the end cut off', (text) => text.replace(/[^\n]+\n$/, ''), /ends at sequence \d+, not at/],
    ['no JSON', (text) => `{${text}`, /cannot be read/],
    [
      'another type',
      (text) => text.replace(/"commands":"/, '"commands":7,"x":"'),
      /content does not give its hash/,
    ],
    ['a row that is nothing', (text) => `null\n${text}`, /cannot be read/],
  ])('names the row that differs: %s', async (_, change, why) => {
    await withFull(change, () => {
      const { status, said } = verify('archive', archive);
      expect({ status, said }).toMatchObject({ status: 1, said: expect.stringMatching(why) as string });
      expect(said).toMatch(/^Differs at the journal row of sequence \d+: /);
    });
  });

  it('names what was noted of another history', () => {
    const other = 'f'.repeat(64);
    expect(verify('archive', archive, '--expect', `${head.sequence}:${other}`)).toMatchObject({ status: 1 });
    expect(verify('archive', archive, '--expect', `${head.sequence + 1}:${other}`).said).toContain(
      'ends before it',
    );
    expect(verify('archive', archive, '--expect', `0:${other}`).said).toContain('no row ends at 0');
  });

  it('says what it needs', () => {
    expect(verify()).toMatchObject({ status: 2, warned: expect.stringContaining('Usage:') as string });
    expect(verify('archive', folder).warned).toContain('there is no archive of a journal');
    expect(verify('archive', archive, '--expect', '7').warned).toContain('--expect 7 is not');
    expect(verify('--help')).toMatchObject({ status: 0 });
  });
});
