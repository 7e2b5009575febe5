import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { FileStore } from '../../../kit/files/file-store.js';
import { KEY_BYTES } from '../../../kit/vault/encryption.js';
import { decrypting, encrypting } from '../../../kit/vault/encrypted-stream.js';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';
import { UserExportEntity, type ExportStatus } from './user-export.entity.js';

/** The encrypted files of exports. The key of each is sealed in its row, so a file alone tells nothing. */
@Injectable()
export class ExportFiles {
  constructor(
    private readonly files: FileStore,
    private readonly box: SecretBox,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  newName(): string {
    return `exports/${randomBytes(16).toString('hex')}.bin`;
  }

  newKey(): Buffer {
    return randomBytes(KEY_BYTES);
  }

  seal(exportId: string, key: Buffer): Promise<Buffer> {
    return this.box.seal(key, placeOf(exportId));
  }

  /** The caller wipes it. */
  keyOf(exportId: string, sealedKey: Buffer): Promise<Buffer> {
    return this.box.open(sealedKey, placeOf(exportId));
  }

  /** Stores all of the stream or nothing. */
  async store(name: string, key: Buffer, content: Readable): Promise<void> {
    const encrypted = encrypting(key, name);
    content.on('error', (error) => encrypted.destroy(error));
    await this.files.putStream(name, content.pipe(encrypted));
  }

  /** `undefined` where it is gone. */
  async open(name: string, key: Buffer): Promise<Readable | undefined> {
    const file = await this.files.open(name);
    if (file === undefined) return undefined;
    const decrypted = decrypting(key, name);
    file.stream.on('error', (error) => decrypted.destroy(error));
    decrypted.on('close', () => file.stream.destroy());
    return file.stream.pipe(decrypted);
  }

  /** Of a file that is not there after all. */
  forgetKey(sealedKey: Buffer, manager: EntityManager): Promise<void> {
    return this.box.discard(sealedKey, manager);
  }

  delete(name: string): Promise<void> {
    return this.files.delete(name);
  }

  /** Deletes the file of an export with its key. The file goes first: where this is cut short, its row still names it. */
  async discard(
    { exportId, fileName, sealedKey }: UserExportEntity,
    status: Extract<ExportStatus, 'failed' | 'expired'>,
  ): Promise<void> {
    if (fileName !== null) await this.files.delete(fileName);
    await this.dataSource.transaction(async (manager) => {
      if (sealedKey !== null) await this.box.discard(sealedKey, manager);
      await manager.update(
        UserExportEntity,
        { exportId },
        { status, fileName: null, sealedKey: null, ticketHash: null, updatedAt: new Date() },
      );
    });
  }
}

function placeOf(exportId: string): SecretPlace {
  return { table: 'user_exports', row: exportId, column: 'sealed_key' };
}
