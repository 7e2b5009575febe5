import { join } from 'node:path';
import { runDrill } from '../drill/command.js';
import { auditVerify } from './audit-verify.js';
import { chainCheck } from './chain-check.js';
import { journalArchive } from './journal-archive.js';
import { journalRebuild } from './journal-rebuild.js';
import { journalVerify } from './journal-verify.js';
import { keysRotate } from './keys-rotate.js';
import { kycErase } from './kyc-erase.js';
import { migrationsAdopt } from './migrations-adopt.js';
import { listen } from './customer/listen.js';
import { login } from './customer/login.js';
import { book, order, trades } from './customer/trading.js';
import type { Command } from './operator-command.js';
import { newPlugin } from '../new-plugin/new-plugin.js';
import { StartRefusal } from '../kit/config/start-refusal.js';

const COMMANDS: readonly Command[] = [
  // Those that call a running service.
  login,
  book,
  trades,
  order,
  listen,
  // Those that work on the service's database.
  journalVerify,
  journalRebuild,
  journalArchive,
  auditVerify,
  keysRotate,
  kycErase,
  chainCheck,
  migrationsAdopt,
];

const USAGE = `Usage: tradepost                  starts the service
       tradepost COMMAND ...      see tradepost COMMAND --help

${[
  ...COMMANDS,
  { name: 'drill', summary: 'restores a backup into a temporary folder, and verifies it' },
  { name: 'new-plugin NAME', summary: 'writes a plugin that is ready to build, test and run' },
]
  .map(({ name, summary }) => `  ${name.padEnd(18)}${summary}\n`)
  .join('')}`;

/** `tradepost COMMAND …`: ends with an exit code and one line where it cannot. `templates` is the package's folder of them. */
export async function runCommand(words: readonly string[], templates: string): Promise<void> {
  const command = COMMANDS.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  try {
    if (command !== undefined)
      process.exitCode = await command.execute(words.slice(command.name.split(' ').length));
    else if (words[0] === '--help' || words[0] === 'help') process.stdout.write(USAGE);
    else if (words[0] === 'drill') process.exitCode = await runDrill(words.slice(1));
    else if (words[0] === 'new-plugin' && words.length === 2) await makePlugin(words[1]!, templates);
    else throw new StartRefusal(`There is no command "${words.join(' ')}"; see tradepost --help.`);
  } catch (error) {
    if (!(error instanceof StartRefusal)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

async function makePlugin(name: string, templates: string): Promise<void> {
  const folder = await newPlugin(name, process.cwd(), join(templates, 'plugin'));
  process.stdout.write(
    `${folder}\n\n  npm install\n  npm test -w ${name}\n  PLUGINS=./${name} npx tradepost\n`,
  );
}
