import { basename, join } from 'node:path';
import { runDrill } from '../drill/command.js';
import { newPlugin } from '../new-plugin/new-plugin.js';
import { loadConfig } from '../kit/config/config.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { adoptMigrations } from './adopt-migrations.js';

const USAGE =
  'Usage: tradepost, which starts the service, tradepost new-plugin NAME, tradepost drill (see tradepost drill --help), or tradepost migrations adopt.';

/** `tradepost COMMAND …`: exits with 1 and one line where it cannot. `templates` is the package's folder of them. */
export async function runCommand([command, ...options]: readonly string[], templates: string): Promise<void> {
  try {
    if (command === 'drill') process.exitCode = await runDrill(options);
    else if (command === 'new-plugin' && options.length === 1) await makePlugin(options[0]!, templates);
    else if (command === 'migrations' && options.length === 1 && options[0] === 'adopt')
      process.stdout.write(`${await adoptMigrations(loadConfig())}\n`);
    else throw new StartRefusal(USAGE);
  } catch (error) {
    if (!(error instanceof StartRefusal)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

async function makePlugin(name: string, templates: string): Promise<void> {
  const folder = await newPlugin(name, process.cwd(), join(templates, 'plugin'));
  process.stdout.write(
    `${folder}\n\n  npm install ./${basename(folder)}\n  cd ${name}\n  npm test\n  cd ..\n  PLUGINS=./${basename(folder)} npx tradepost\n`,
  );
}
