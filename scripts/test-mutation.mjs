/**
 * `npm run test:mutation`: how many mutants of matching, ledger, holds, settlement and netting the tests kill. It installs
 * the tool in `test/long/mutation` the first time, and later runs only what has changed. Options go to Stryker, as in
 * `npm run test:mutation -- -m src/domain/engine/ledger.ts`; `--force` runs everything again.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { ensureTools } from './support/tools.ts';

const FOLDER = resolve('test/long/mutation');
const STRYKER = resolve(FOLDER, 'node_modules/@stryker-mutator/core/bin/stryker.js');

await ensureTools(FOLDER);
const args = [STRYKER, 'run', 'test/long/mutation/stryker.config.json', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
