import { Logger } from '@nestjs/common';
import type { FileStore, StoredFile } from '../file-store.js';

/** The image files of one group, by the names of the images. */
export class ImageFiles {
  private readonly logger = new Logger(ImageFiles.name);

  /** `folder` is the group's own among the files, such as `pets`. */
  constructor(
    private readonly files: FileStore,
    private readonly folder: string,
  ) {}

  put(imageName: string, content: Buffer): Promise<void> {
    return this.files.put(this.fileNameOf(imageName), content);
  }

  open(imageName: string): Promise<StoredFile | undefined> {
    return this.files.open(this.fileNameOf(imageName));
  }

  /**
   * Deletes images that nothing references any more. A file that cannot be deleted is only logged: it is never served
   * again.
   */
  async deleteAll(imageNames: Iterable<string>): Promise<void> {
    for (const imageName of imageNames) {
      const file = this.fileNameOf(imageName);
      try {
        await this.files.delete(file);
      } catch (error) {
        this.logger.warn({ msg: 'an image could not be deleted', file, err: error });
      }
    }
  }

  private fileNameOf(imageName: string): string {
    return `${this.folder}/${imageName}`;
  }
}
