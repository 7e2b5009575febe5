import { readFileSync } from 'node:fs';
import { ConfigError } from './start-refusal.js';

/** The content of a secret's file, without a trailing newline. */
export function readSecret(name: string, path: string): string {
  let secret: string;
  try {
    secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ConfigError(name, `must be the path of a file that can be read (${reason}).`, { cause: error });
  }
  if (secret === '') throw new ConfigError(name, 'must be the path of a file that is not empty.');
  return secret;
}
