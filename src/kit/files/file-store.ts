import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** An open stored file. The caller must read the stream to its end, or destroy it. */
export interface StoredFile {
  readonly sizeBytes: number;
  readonly stream: Readable;
}

/**
 * Extension point: storage of uploaded files. The service makes the names, never a client: a folder and a file with its
 * extension, such as `pets/3f2a.png`, in lower case letters, digits, `-` and `_`. A file never changes under its name.
 * Failures reject with the storage's own error, which callers see as a failure of the service.
 */
export abstract class FileStore {
  /**
   * Stores a file atomically: no reader sees a part of it, and once this resolves it survives a crash. Rejects if the
   * name is taken.
   */
  abstract put(name: string, content: Buffer): Promise<void>;

  /**
   * As `put`, for content of any length. A stream that fails leaves no file. The default reads it all into memory first.
   */
  async putStream(name: string, content: Readable): Promise<void> {
    await this.put(name, await buffer(content));
  }

  /** Opens a file for reading; `undefined` if there is no such file. */
  abstract open(name: string): Promise<StoredFile | undefined>;

  /** Deletes a file; does nothing if there is none. */
  abstract delete(name: string): Promise<void>;
}

const FILE_NAME = /^[a-z0-9_-]{1,64}\/[a-z0-9_-]{1,128}\.[a-z0-9]{1,16}$/;

/** Throws a RangeError for invalid file names, such as one that leads out of the folder. */
export function requireFileName(name: string): void {
  if (!FILE_NAME.test(name)) throw new RangeError('A file needs a name such as images/3f2a.png.');
}
