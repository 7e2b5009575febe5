import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { StartRefusal } from '../../config/start-refusal.js';

/** The files of an operator's, of which only regular ones directly in a folder are read: no link leads out of it. */
export class BrandingFolder {
  private readonly root: string;

  /** Throws a StartRefusal for what is no folder. */
  constructor(folder: string) {
    try {
      this.root = realpathSync(folder);
      readdirSync(this.root);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
      throw new StartRefusal(`BRANDING_DIR must be a folder that can be read (${reason}).`, { cause: error });
    }
  }

  /** The names in it or in a folder below it, in order; none where that is not there. Hidden ones are left out. */
  names(below = ''): readonly string[] {
    try {
      return readdirSync(join(this.root, below))
        .filter((name) => !name.startsWith('.'))
        .sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw refused(below, 'must be a folder that can be read', error);
    }
  }

  /** The bytes of a file. Throws a StartRefusal for links, folders, and files that are larger than `bytesMax`. */
  read(name: string, bytesMax: number): Buffer {
    let file: number;
    try {
      // The folder of the name may be a link, too, which the real path tells.
      const path = join(this.root, name);
      if (realpathSync(path) !== path) throw refused(name, 'must be no link');
      file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (error instanceof StartRefusal) throw error;
      throw refused(name, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, error);
    }
    try {
      const status = fstatSync(file);
      if (!status.isFile()) throw refused(name, 'must be a file');
      if (status.size > bytesMax) throw refused(name, `must not be larger than ${bytesMax / 1024} KiB`);
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** A file's text, which must be UTF-8. */
  text(name: string, bytesMax: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.read(name, bytesMax));
    } catch (error) {
      if (error instanceof StartRefusal) throw error;
      throw refused(name, 'must be text in UTF-8', error);
    }
  }

  /** The object of a JSON file. */
  object(name: string, bytesMax: number): Readonly<Record<string, unknown>> {
    let value: unknown;
    try {
      value = JSON.parse(this.text(name, bytesMax));
    } catch (error) {
      if (error instanceof StartRefusal) throw error;
      throw refused(name, `is no JSON: ${(error as Error).message}`, error);
    }
    if (!isObject(value)) throw refused(name, 'must be an object of JSON');
    return value;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function refused(name: string, problem: string, cause?: unknown): StartRefusal {
  return new StartRefusal(`BRANDING_DIR: ${name}: ${problem}.`, { cause });
}
