import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import type { StoredFile } from '../../../kit/files/file-store.js';
import { ImageEncoder } from '../../../kit/files/images/image-encoder.js';
import { ImageFiles } from '../../../kit/files/images/image-files.js';
import { isImageName, mediaTypeOf, newImageName } from '../../../kit/files/images/image-name.js';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { PHOTOS_MAX, type UploadedImageDto } from '../pet.dto.js';
import { PetPhotoEntity } from '../pet.entity.js';
import { lockPet } from '../pet-rows.js';
import { imageUrlOf } from './pet-image-url.js';

/**
 * The images of pets. A file is stored before the row that names it, and is served only if there is such a row: if the
 * process dies in between, an unreachable file remains.
 */
@Injectable()
export class PetImagesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(PetPhotoEntity) private readonly photos: Repository<PetPhotoEntity>,
    @Inject(CONFIG) private readonly config: Config,
    private readonly answerTransaction: AnswerTransaction,
    private readonly encoder: ImageEncoder,
    private readonly files: ImageFiles,
  ) {}

  /**
   * Stores an image as the last photo of a pet. Throws `not_found` (404), `conflict` (409) for a pet that has
   * as many photos as a pet may have, and what `ImageEncoder.encode` throws.
   */
  async add(
    petId: number,
    upload: Buffer,
    additionalMetadata: string | undefined,
  ): Promise<UploadedImageDto> {
    // Asked again when the photo is written; asked here to spare the work.
    await this.dataSource.transaction((manager) => nextPosition(manager, petId));
    const { extension, content } = await this.encoder.encode(upload);
    const imageName = newImageName(extension);
    await this.files.put(imageName, content);
    const stored = `Stored as ${imageUrlOf(this.config.publicUrl, imageName)} (${content.length} bytes).`;
    try {
      return await this.answerTransaction.run(async (manager) => {
        const position = await nextPosition(manager, petId);
        await manager.insert(PetPhotoEntity, { petId: String(petId), position, imageName, url: null });
        return {
          code: 200,
          type: mediaTypeOf(imageName),
          message: additionalMetadata ? `${stored} additionalMetadata: ${additionalMetadata}` : stored,
        };
      });
    } catch (error) {
      await this.discard(imageName);
      throw error;
    }
  }

  /** Opens an image of some pet. Throws `not_found` (404). */
  async open(imageName: string): Promise<StoredFile> {
    const isKnown = isImageName(imageName) && (await this.photos.existsBy({ imageName }));
    const file = isKnown ? await this.files.open(imageName) : undefined;
    if (file === undefined) throw new ApiError(NOT_FOUND, 'There is no such image.');
    return file;
  }

  /** Takes a file back, unless its row was written after all: a commit may succeed and its answer be lost. */
  private async discard(imageName: string): Promise<void> {
    const isNamed = await this.photos.existsBy({ imageName }).catch(() => true);
    if (!isNamed) await this.files.deleteAll([imageName]);
  }
}

/** Locks the pet, and returns the position of its next photo. */
async function nextPosition(manager: EntityManager, petId: number): Promise<number> {
  const pet = await lockPet(manager, petId);
  const photos = await manager.findBy(PetPhotoEntity, { petId: pet.petId });
  if (photos.length >= PHOTOS_MAX) {
    throw new ApiError(CONFLICT, `The pet has ${PHOTOS_MAX} photos already; take one away with PUT /pet.`);
  }
  return Math.max(-1, ...photos.map(({ position }) => position)) + 1;
}
