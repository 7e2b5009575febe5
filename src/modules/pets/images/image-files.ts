import { Injectable, Logger } from '@nestjs/common';
import { FileStore, type StoredFile } from '../../../platform/files/file-store.js';

/** The files of stored images, by the names of the images. */
@Injectable()
export class ImageFiles {
  private readonly logger = new Logger(ImageFiles.name);

  constructor(private readonly files: FileStore) {}

  put(imageName: string, content: Buffer): Promise<void> {
    return this.files.put(fileNameOf(imageName), content);
  }

  open(imageName: string): Promise<StoredFile | undefined> {
    return this.files.open(fileNameOf(imageName));
  }

  /**
   * Deletes images that no pet has any more. That they are gone is decided already: a file that cannot be
   * deleted is never served again, and only told to the operator.
   */
  async deleteAll(imageNames: Iterable<string>): Promise<void> {
    for (const imageName of imageNames) {
      try {
        await this.files.delete(fileNameOf(imageName));
      } catch (error) {
        this.logger.warn({ msg: 'an image could not be deleted', file: fileNameOf(imageName), err: error });
      }
    }
  }
}

function fileNameOf(imageName: string): string {
  return `pets/${imageName}`;
}
