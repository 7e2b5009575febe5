import type { Readable } from 'node:stream';

/** A stored file that is being read. Whoever asked for it reads the stream to its end, or destroys it. */
export interface StoredFile {
  readonly sizeBytes: number;
  readonly stream: Readable;
}

/**
 * Extension point: where files are kept that users upload. Names are made by the service, never by a client:
 * a folder and a file with its ending, such as `pets/3f2a.png`, in lower case letters, digits, `-` and `_`.
 * A file never changes under its name. Whatever cannot be done rejects with an error of the storage itself,
 * which callers are told of as a failure of the service.
 */
export abstract class FileStore {
  /**
   * Keeps a file, whole or not at all: nobody sees a part of it, and once this resolves it outlives a crash.
   * Rejects where the name is taken.
   */
  abstract put(name: string, content: Buffer): Promise<void>;

  /** Opens a file for reading; `undefined` where there is none of the name. */
  abstract open(name: string): Promise<StoredFile | undefined>;

  /** Deletes a file; where there is none of the name, that is just as well. */
  abstract delete(name: string): Promise<void>;
}

const FILE_NAME = /^[a-z0-9_-]{1,64}\/[a-z0-9_-]{1,128}\.[a-z0-9]{1,16}$/;

/** Throws a RangeError for what is no name of a file, such as one that leads elsewhere. */
export function requireFileName(name: string): void {
  if (!FILE_NAME.test(name)) throw new RangeError('A file needs a name such as pets/3f2a.png.');
}
