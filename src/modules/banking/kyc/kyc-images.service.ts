import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { FileStore } from '../../../kit/files/file-store.js';
import { ImageEncoder } from '../../../kit/files/images/image-encoder.js';
import { mediaTypeOf } from '../../../kit/files/images/image-name.js';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import type { Principal } from '../../../kit/security/principal.js';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';
import { KycAccess } from './kyc-access.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { lockPerson } from './kyc-changes.js';
import { KycImageEntity, KycViewEntity, type ImageSide } from './kyc-records.entity.js';
import { toKycImageDto, type KycImageDto } from './kyc.dto.js';
import { KYC_IMAGE_IDS } from '../ids.js';

export const IMAGES_MAX = 10;

export interface RevealedImage {
  readonly mediaType: string;
  readonly content: Buffer;
}

/**
 * The images of cases. Each is re-encoded, encrypted, and stored before the row that names it: if the process dies in
 * between, an unreadable file remains.
 */
@Injectable()
export class KycImagesService {
  private readonly logger = new Logger('KycImages');

  constructor(
    private readonly access: KycAccess,
    private readonly answerTransaction: AnswerTransaction,
    private readonly box: SecretBox,
    private readonly encoder: ImageEncoder,
    private readonly files: FileStore,
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(KycImageEntity) private readonly images: Repository<KycImageEntity>,
    @InjectRepository(KycViewEntity) private readonly views: Repository<KycViewEntity>,
  ) {}

  /**
   * Adds an image to an open case. Throws `not_found` (404), `conflict` (409) for a case that is decided or
   * has ten images, and what `ImageEncoder.encode` throws.
   */
  async add(principal: Principal, text: string, upload: Buffer, side: ImageSide): Promise<KycImageDto> {
    const kyc = await this.access.caseOf(principal, text);
    // Asked again when the row is written; asked here to spare the work.
    await this.dataSource.transaction((manager) => requireRoom(manager, kyc));
    const { extension, content } = await this.encoder.encode(upload);
    const fileName = `kyc/${randomBytes(16).toString('hex')}.bin`;
    try {
      return await this.answerTransaction.run(async (manager) => {
        await requireRoom(manager, kyc);
        const imageId = await nextImageId(manager);
        await this.files.put(fileName, await this.box.seal(content, placeOf(imageId), manager));
        await manager.insert(KycImageEntity, {
          imageId,
          kycId: kyc.kycId,
          side,
          fileName,
          mediaType: mediaTypeOf(`image.${extension}`),
          sizeBytes: content.length,
          sha256: createHash('sha256').update(content).digest(),
        });
        return toKycImageDto(await manager.findOneByOrFail(KycImageEntity, { imageId }));
      });
    } catch (error) {
      await this.discard(fileName);
      throw error;
    }
  }

  /** Opens an image for an operator, once it is recorded who looks. Throws `not_found` (404). */
  async reveal(operator: Principal, kycText: string, imageText: string): Promise<RevealedImage> {
    const { kycId } = await this.access.anyCase(kycText);
    const imageId = KYC_IMAGE_IDS.parse(imageText);
    const image =
      imageId === undefined ? null : await this.images.findOneBy({ imageId: String(imageId), kycId });
    const file = image?.erasedAt === null ? await this.files.open(image.fileName) : undefined;
    if (image === null || file === undefined) {
      throw new ApiError(NOT_FOUND, 'The case has no such image. See GET /admin/kyc/{kyc_id}.');
    }
    await this.views.insert({ kycId, imageId: image.imageId, viewedBy: operator.key });
    const content = await this.box.open(await buffer(file.stream), placeOf(image.imageId));
    return { mediaType: image.mediaType, content };
  }

  /** Takes a file back, unless its row was written after all: a commit may succeed and its answer be lost. */
  private async discard(fileName: string): Promise<void> {
    const isNamed = await this.images.existsBy({ fileName }).catch(() => true);
    if (isNamed) return;
    await this.files.delete(fileName).catch((error: unknown) => {
      this.logger.warn({ err: error, fileName, msg: 'an encrypted image could not be deleted' });
    });
  }
}

async function requireRoom(manager: EntityManager, { owner, kycId }: KycCaseEntity): Promise<void> {
  await lockPerson(manager, owner);
  const kyc = await manager.findOneByOrFail(KycCaseEntity, { kycId });
  if (kyc.status !== 'pending' && kyc.status !== 'in_review') {
    throw new ApiError(CONFLICT, `The case is ${kyc.status} and takes no images; submit a new one.`);
  }
  if ((await manager.countBy(KycImageEntity, { kycId })) >= IMAGES_MAX) {
    throw new ApiError(CONFLICT, `The case has ${IMAGES_MAX} images, which is the most.`);
  }
}

async function nextImageId(manager: EntityManager): Promise<string> {
  const [next] = await manager.query<[{ readonly image_id: string }]>(
    `SELECT nextval(pg_get_serial_sequence('kyc_images', 'image_id')) AS image_id`,
  );
  return next.image_id;
}

function placeOf(imageId: string): SecretPlace {
  return { table: 'kyc_images', row: imageId, column: 'file' };
}
