#!/usr/bin/env node
/** `tradepost-verify`: exit code 0 where the archive proves itself, 1 where a row differs, 2 where nothing could be read. */
import { parseArgs } from 'node:util';
import { verifyArchive, type Witness } from './index.js';

const USAGE = `Usage: tradepost-verify FOLDER [--expect SEQUENCE:HASH]…

Replays the archive of a journal from its first row and names the first row that is not what it should be.

  --expect SEQUENCE:HASH   a hash of the journal or of the state that was noted at a sequence; may be repeated

Note the last line that it prints: with --expect a later run proves that nothing before it was changed since.
`;
const WITNESS = /^(\d{1,15}):([0-9a-f]{64})$/i;

function witnessIn(text: string): Witness {
  const [, sequence, hash] = WITNESS.exec(text) ?? [];
  if (sequence === undefined || hash === undefined)
    throw new Error(`--expect ${text} is not a sequence, a colon and 64 hexadecimal digits`);
  return { sequence: Number(sequence), hash };
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      expect: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const result = await verifyArchive(folder, {
    witnesses: values.expect.map(witnessIn),
    onFile: ({ path, sequence }) => process.stderr.write(`${path}: good up to sequence ${sequence}\n`),
  });
  if (!result.ok) {
    process.stdout.write(`Differs at the journal row of sequence ${result.sequence}: ${result.reason}\n`);
    return 1;
  }
  const { rows, commands, sequence, journalHash, stateHash } = result;
  process.stdout.write(
    `Verified: ${rows} journal rows with ${commands} commands lead to state hash ${stateHash}\n${sequence}:${journalHash}\n`,
  );
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`Nothing was verified: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
