/** What `main.ts` runs: one module, since each further entry of the bundle would share out our code among more files. */
// First: all others have decorators.
import 'reflect-metadata';

export { runCommand } from './commands/run-command.js';
export { start } from './start.js';
