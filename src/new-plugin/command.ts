import { basename } from 'node:path';
import { StartRefusal } from '../platform/config/start-refusal.js';
import { newPlugin } from './new-plugin.js';

/** `tradepost new-plugin NAME`: exits with 1 and one line where it cannot. */
export async function runCommand([command, name, ...rest]: readonly string[]): Promise<void> {
  try {
    if (command !== 'new-plugin' || name === undefined || rest.length > 0) {
      throw new StartRefusal('Usage: tradepost, which starts the service, or tradepost new-plugin NAME.');
    }
    const folder = await newPlugin(name, process.cwd());
    process.stdout.write(
      `${folder}\n\n  npm install ./${basename(folder)}\n  cd ${name}\n  npm test\n  cd ..\n  PLUGINS=./${basename(folder)} npx tradepost\n`,
    );
  } catch (error) {
    if (!(error instanceof StartRefusal)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
