import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import type { StoredFile } from '../../../kit/files/file-store.js';
import { ImageEncoder } from '../../../kit/files/images/image-encoder.js';
import { ImageFiles } from '../../../kit/files/images/image-files.js';
import { isImageName, newImageName } from '../../../kit/files/images/image-name.js';
import { CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { beginWriting } from '../entries/entry-writer.js';
import { toBlogImageDto, type BlogImageDto } from './blog-image.dto.js';
import { BlogImageEntity } from './blog-image.entity.js';

/**
 * The images of posts and pages. A file is stored before the row that names it, and is served only if there is such a
 * row: if the process dies in between, an unreachable file remains.
 */
@Injectable()
export class BlogImagesService {
  constructor(
    @InjectRepository(BlogImageEntity) private readonly images: Repository<BlogImageEntity>,
    @Inject(CONFIG) private readonly config: Config,
    private readonly answerTransaction: AnswerTransaction,
    private readonly encoder: ImageEncoder,
    private readonly files: ImageFiles,
    private readonly audit: AuditLog,
  ) {}

  /** Stores an image. Throws what `ImageEncoder.encode` throws. */
  async add(principal: Principal, upload: Buffer): Promise<BlogImageDto> {
    const { extension, content } = await this.encoder.encode(upload);
    const imageName = newImageName(extension);
    await this.files.put(imageName, content);
    try {
      return await this.answerTransaction.run(async (manager) => {
        const createdAt = await beginWriting(manager);
        const sizeBytes = content.length;
        const image = manager.create(BlogImageEntity, {
          ...{ imageName, sizeBytes, createdAt },
          uploadedBy: principal.key,
        });
        await manager.insert(BlogImageEntity, image);
        await this.audit.record(manager, { target: targetOf(imageName), details: { size_bytes: sizeBytes } });
        return toBlogImageDto(image, this.config.publicUrl);
      });
    } catch (error) {
      await this.discard(imageName);
      throw error;
    }
  }

  /** The newest first. Throws `invalid_cursor` (400). */
  async list({ limit, cursor }: PageQueryDto): Promise<Page<BlogImageDto>> {
    const before = decodeCursor(cursor, ['integer', 'text']);
    const rows = this.images
      .createQueryBuilder('image')
      .orderBy('image.createdAt', 'DESC')
      .addOrderBy('image.imageName', 'DESC')
      .limit(limit + 1);
    if (before !== undefined) {
      rows.where(
        '(image.created_at, image.image_name) < (to_timestamp(:timeMs::bigint / 1000.0), :imageName)',
        { timeMs: before[0], imageName: before[1] },
      );
    }
    return pageOf(
      await rows.getMany(),
      limit,
      ({ createdAt, imageName }) => [createdAt.getTime(), imageName],
      (image) => toBlogImageDto(image, this.config.publicUrl),
    );
  }

  /** Opens an image for everyone. Throws `not_found` (404). */
  async open(imageName: string): Promise<StoredFile> {
    const isKnown = isImageName(imageName) && (await this.images.existsBy({ imageName }));
    const file = isKnown ? await this.files.open(imageName) : undefined;
    if (file === undefined) throw imageNotFound();
    return file;
  }

  /** Deletes an image. Throws `not_found` (404), and `conflict` (409) while a post or page shows it. */
  async remove(imageName: string): Promise<void> {
    if (!isImageName(imageName)) throw imageNotFound();
    await this.images.manager.transaction(async (manager) => {
      await beginWriting(manager);
      const [use] = await manager.query<{ kind: string; slug: string }[]>(
        `SELECT kind, slug FROM blog_entries
         WHERE strpos(html, $1) > 0 OR strpos(feature_image, $1) > 0 LIMIT 1`,
        [imageName],
      );
      if (use) {
        throw new ApiError(CONFLICT, `The ${use.kind} ${use.slug} shows the image; take it out first.`);
      }
      const { affected } = await manager.delete(BlogImageEntity, { imageName });
      if (affected === 0) throw imageNotFound();
      await this.audit.record(manager, { target: targetOf(imageName) });
    });
    await this.files.deleteAll([imageName]);
  }

  /** Takes a file back, unless its row was written after all: a commit may succeed and its answer be lost. */
  private async discard(imageName: string): Promise<void> {
    const isNamed = await this.images.existsBy({ imageName }).catch(() => true);
    if (!isNamed) await this.files.deleteAll([imageName]);
  }
}

function targetOf(id: string): AuditTarget {
  return { type: 'blog_image', id };
}

function imageNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such image.');
}
