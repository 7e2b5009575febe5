/**
 * `npm run test:mutation`: how many mutants of matching, ledger, holds, settlement and netting the tests kill. It installs
 * the tool in `test/long/mutation` the first time, and later runs only what has changed. Options go to Stryker, as in
 * `npm run test:mutation -- -m src/domain/engine/ledger.ts`; `--force` runs everything again.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const FOLDER = resolve('test/long/mutation');
const STRYKER = resolve(FOLDER, 'node_modules/@stryker-mutator/core/bin/stryker.js');

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd = process.cwd()) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(STRYKER)) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], FOLDER);
run(process.execPath, [STRYKER, 'run', 'test/long/mutation/stryker.config.json', ...process.argv.slice(2)]);
