import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { Interruption, interrupted } from '../kit/interruption.js';
import { drill, type DrillOptions } from './drill.js';

const USAGE = `Usage: tradepost drill --base DIR --wal DIR [options]

Restores a backup into a temporary folder with a PostgreSQL of its own, verifies it, and removes it. It reads the archive
and never writes to it, starts no service, and reads no settings: nothing reaches Redis, chains, mail or webhooks.

  --base DIR              the base backup, as pg_basebackup makes it (plain format); it is copied
  --wal DIR               the archive of the write-ahead log
  --heads DIR             copies of DATA_DIR/journal-heads: the restored journal must have the last signed head
  --journal-archive DIR   the files of journal:archive
  --audit DIR             copies of DATA_DIR/audit-log: lists what the restore brings back, and repeats what ended it
  --until TIME            recover to this time (RFC 3339) instead of the end of the archive
  --timeline ID           follow this timeline of the archive (default: latest)
  --pg-bin DIR            the programs of a PostgreSQL of the backup's version (default: the embedded ones)
  --database NAME         the service's database (default: tradepost)
  --user NAME             the role that owns it (default: tradepost)
  --folder DIR            where the temporary folder is made (default: TMPDIR)
  --keep                  keep the restored folder, stopped, with archive_mode = off

Exit code 0 where the restore holds, 1 where something is wrong.
`;

/** Returns the exit code. */
export async function runDrill(commandLine: readonly string[]): Promise<number> {
  const options = optionsIn(commandLine);
  if (options === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const ended = new AbortController();
  const work = drill(options, ended.signal);
  try {
    const { lines, faults } = await Promise.race([work, interrupted()]);
    for (const line of lines) process.stdout.write(`${line}\n`);
    for (const fault of faults) process.stdout.write(`WRONG: ${fault}\n`);
    process.stdout.write(faults.length === 0 ? 'The restore holds.\n' : 'The restore does not hold.\n');
    return faults.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    ended.abort();
    await work.catch(() => undefined);
    throw new StartRefusal(error.message);
  }
}

/** Undefined where only the usage is asked for. */
function optionsIn(commandLine: readonly string[]): DrillOptions | undefined {
  const values = parsed(commandLine);
  if (values.help) return undefined;
  const { base, wal, until, timeline } = values;
  if (base === undefined || wal === undefined) {
    throw new StartRefusal('tradepost drill needs --base and --wal; see tradepost drill --help.');
  }
  if (!/^(latest|current|[1-9]\d{0,9})$/.test(timeline)) {
    throw new StartRefusal(`--timeline ${timeline} is no timeline: give its number, latest or current.`);
  }
  const untilMs = until === undefined ? undefined : Date.parse(until);
  if (Number.isNaN(untilMs)) {
    throw new StartRefusal(`--until ${until} is no time: write it as 2026-11-27T06:00:00Z.`);
  }
  const folders = {
    ...(values.heads !== undefined && { heads: resolve(values.heads) }),
    ...(values['journal-archive'] !== undefined && { journalArchive: resolve(values['journal-archive']) }),
    ...(values.audit !== undefined && { audit: resolve(values.audit) }),
    ...(values['pg-bin'] !== undefined && { pgBin: resolve(values['pg-bin']) }),
  };
  return {
    ...folders,
    ...(untilMs !== undefined && { until: new Date(untilMs) }),
    base: resolve(base),
    wal: resolve(wal),
    timeline,
    database: values.database,
    user: values.user,
    parent: resolve(values.folder),
    isKept: values.keep,
  };
}

function parsed(commandLine: readonly string[]) {
  try {
    return parseArgs({
      args: [...commandLine],
      options: {
        base: { type: 'string' },
        wal: { type: 'string' },
        heads: { type: 'string' },
        'journal-archive': { type: 'string' },
        audit: { type: 'string' },
        until: { type: 'string' },
        timeline: { type: 'string', default: 'latest' },
        'pg-bin': { type: 'string' },
        database: { type: 'string', default: 'tradepost' },
        user: { type: 'string', default: 'tradepost' },
        folder: { type: 'string', default: tmpdir() },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new StartRefusal((error as Error).message);
  }
}
