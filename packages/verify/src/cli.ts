#!/usr/bin/env node
/** `tradepost-verify`: exit code 0 and what was proven; 1 and what differs; 2 where nothing could be checked. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  PublicJournal,
  type Verification,
  verifyArchive,
  verifyConsistency,
  verifyHeads,
  verifyLiability,
  verifyReceipt,
  type Witness,
} from './index.js';
import { answerOf, rowsOfFiles, rowsOfService } from './public-rows.js';

const USAGE = `Usage: tradepost-verify receipt FILE --keys KEYS
       tradepost-verify proof FILE --liabilities REPORT --keys KEYS
       tradepost-verify head FILE… --keys KEYS [--consistency PROOF]
       tradepost-verify public SERVICE [--keys KEYS]
       tradepost-verify public FILE… --head HEAD --keys KEYS
       tradepost-verify archive FOLDER [--expect SEQUENCE:HASH]… [--heads FILE --keys KEYS]

Checks the books of a Tradepost service without trust in who runs it. Files are JSON as the service answered it; KEYS is
that of GET /journal/keys.

  receipt   what a commit did to an account or a market, and the way from there to a signed head
  proof     that what an account has is part of what the service owes; REPORT is that of GET /liabilities
  head      signed heads, one or a list or one a line: that none contradicts another; with --consistency, the answer of
            GET /journal/proofs/consistency, that the second of two goes on from the first
  public    replays the public part of the journal, of a service by its address, or of files with answers of
            GET /journal/public, one a line: that each trade was the turn of its maker, and that rows and books lead to the
            signed head. Without --keys the service is asked for its keys, too: compare the first one with what you know
  archive   replays an archive of the journal from its first row and names the first row that is not what it should be

  --expect SEQUENCE:HASH   a hash of the journal or of the state that was noted at a sequence; may be repeated
  --heads FILE             signed heads, each of which the archive must lead to

Note the last line that the archive's check prints: with --expect a later run proves that nothing before it was changed.
`;
const SERVICE = /^https?:\/\//;
const TELL_EVERY_MS = 2_000;
const WITNESS = /^(\d{1,15}):([0-9a-f]{64})$/i;

/** Nothing was checked; the message says what to do. */
class Unusable extends Error {}

/** The line to print, and whether it is a proof. */
interface Verdict {
  readonly ok: boolean;
  readonly line: string;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      keys: { type: 'string' },
      heads: { type: 'string' },
      head: { type: 'string' },
      consistency: { type: 'string' },
      liabilities: { type: 'string' },
      expect: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [what, ...files] = positionals;
  const check = what === undefined ? undefined : CHECKS[what];
  if (check === undefined || files.length === 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { ok, line } = await check(files, values);
  process.stdout.write(`${line}\n`);
  return ok ? 0 : 1;
}

interface Options {
  readonly keys?: string | undefined;
  readonly heads?: string | undefined;
  readonly head?: string | undefined;
  readonly consistency?: string | undefined;
  readonly liabilities?: string | undefined;
  readonly expect: readonly string[];
}

const CHECKS: Readonly<Record<string, (files: readonly string[], options: Options) => Promise<Verdict>>> = {
  receipt: checkReceipt,
  proof: checkLiability,
  head: checkHeads,
  public: checkPublic,
  archive: checkArchive,
};

async function checkReceipt(files: readonly string[], options: Options): Promise<Verdict> {
  const result = verifyReceipt(await jsonIn(onlyOne(files)), await keysIn(options));
  if (!result.ok) return { ok: false, line: `Differs: ${result.reason}` };
  const { accountId, marketId, height, time, changes, treeSize, keyId } = result;
  const whose = accountId === null ? `market ${marketId}` : `account number ${accountId}`;
  const told = changes.map(({ table, row }) => `  ${table}: ${JSON.stringify(row)}`);
  return {
    ok: true,
    line: [
      `Verified: row ${height} of the journal, committed at ${time}, did this to ${whose}; key ${keyId} has signed ${treeSize} rows with it`,
      ...told,
    ].join('\n'),
  };
}

async function checkLiability(files: readonly string[], options: Options): Promise<Verdict> {
  if (options.liabilities === undefined)
    throw new Unusable('name the file with the report: --liabilities REPORT');
  const report = await jsonIn(options.liabilities);
  const result = verifyLiability(await jsonIn(onlyOne(files)), report, await keysIn(options));
  if (!result.ok) return { ok: false, line: `Differs: ${result.reason}` };
  const { accountId, balances, asOf, sequence } = result;
  const told = Object.entries(balances).map(([asset, amount]) => `${amount} ${asset}`);
  return {
    ok: true,
    line: `Verified: ${told.join(', ')} of ${accountId} are part of what was owed at ${asOf}, sequence ${sequence}`,
  };
}

async function checkHeads(files: readonly string[], options: Options): Promise<Verdict> {
  const keys = await keysIn(options);
  const heads = (await Promise.all(files.map(headsIn))).flat();
  if (options.consistency !== undefined && heads.length !== 2)
    throw new Unusable('--consistency is about two heads, the earlier one first');
  const result =
    options.consistency === undefined
      ? verifyHeads(heads, keys)
      : verifyConsistency(heads[0], heads[1], await jsonIn(options.consistency), keys);
  if (!result.ok) return { ok: false, line: `Differs: ${result.reason}` };
  const { heads: count, height, time, sequence, chainHash } = result;
  return {
    ok: true,
    line: `Verified: ${count} signed heads up to row ${height} of ${time}\n${sequence}:${chainHash}`,
  };
}

async function checkPublic(files: readonly string[], options: Options): Promise<Verdict> {
  const service = SERVICE.test(files[0]!) ? onlyOne(files) : null;
  const keys =
    service !== null && options.keys === undefined
      ? await answerOf(service, 'journal/keys')
      : await keysIn(options);
  const head = (
    service === null
      ? await jsonIn(options.head ?? missing('--head HEAD'))
      : await answerOf(service, 'journal/head')
  ) as { readonly tree_size: number };
  const journal = new PublicJournal();
  let toldMs = performance.now();
  for await (const row of service === null ? rowsOfFiles(files) : rowsOfService(service, head.tree_size)) {
    if (journal.take(row) !== null) break;
    if (performance.now() - toldMs < TELL_EVERY_MS) continue;
    toldMs = performance.now();
    process.stderr.write(`row ${journal.height} of ${head.tree_size}\n`);
  }
  const result = journal.verify(head, keys);
  if (!result.ok) return { ok: false, line: `Differs: ${result.reason}` };
  const { rows, trades, orderChanges, openOrders, markets, time, sequence, publicStateHash, isWhole } =
    result;
  const begin = isWhole
    ? ''
    : '; the tree begins later than the journal, so older orders were taken as they came';
  return {
    ok: true,
    line:
      `Verified: ${rows} rows up to ${time} with ${trades} trades and ${orderChanges} changes of orders lead to ` +
      `${openOrders} orders in the books of ${markets} markets${begin}\n${sequence}:${publicStateHash}`,
  };
}

function missing(option: string): never {
  throw new Unusable(`name the file: ${option}`);
}

async function checkArchive(files: readonly string[], options: Options): Promise<Verdict> {
  const noted = options.heads === undefined ? [] : await witnessesIn(options.heads, options);
  const result: Verification = await verifyArchive(onlyOne(files), {
    witnesses: [...options.expect.map(witnessIn), ...noted],
    onFile: ({ path, sequence }) => process.stderr.write(`${path}: good up to sequence ${sequence}\n`),
  });
  if (!result.ok)
    return {
      ok: false,
      line: `Differs at the journal row of sequence ${result.sequence}: ${result.reason}`,
    };
  const { rows, commands, sequence, journalHash, stateHash } = result;
  return {
    ok: true,
    line: `Verified: ${rows} journal rows with ${commands} commands lead to state hash ${stateHash}\n${sequence}:${journalHash}`,
  };
}

/** What signed heads say of the journal and of the state at their sequences. */
async function witnessesIn(file: string, options: Options): Promise<Witness[]> {
  const heads = await headsIn(file);
  const result = verifyHeads(heads, await keysIn(options));
  if (!result.ok) throw new Unusable(`${file}: ${result.reason}`);
  return (heads as { sequence: number; chain_hash: string; state_hash: string }[]).flatMap(
    ({ sequence, chain_hash, state_hash }) => [
      { sequence, hash: chain_hash },
      { sequence, hash: state_hash },
    ],
  );
}

function witnessIn(text: string): Witness {
  const [, sequence, hash] = WITNESS.exec(text) ?? [];
  if (sequence === undefined || hash === undefined)
    throw new Unusable(`--expect ${text} is not a sequence, a colon and 64 hexadecimal digits`);
  return { sequence: Number(sequence), hash };
}

/** One head, a page of them, or one a line. */
async function headsIn(file: string): Promise<unknown[]> {
  const text = await readFile(file, 'utf8');
  const lines = text.trim().split('\n');
  const values = isJson(text) ? [parsed(text, file)] : lines.map((line) => parsed(line, file));
  return values.flatMap((value): unknown[] => {
    const { data } = (value ?? {}) as { readonly data?: unknown };
    return Array.isArray(data) ? data : [value];
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function keysIn({ keys }: Options): Promise<unknown> {
  if (keys === undefined) throw new Unusable('name the file with the keys: --keys KEYS');
  return jsonIn(keys);
}

async function jsonIn(file: string): Promise<unknown> {
  return parsed(await readFile(file, 'utf8'), file);
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Unusable(`${file} is no JSON`);
  }
}

function onlyOne(files: readonly string[]): string {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw new Unusable('name one file');
  return file;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`Nothing was verified: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
