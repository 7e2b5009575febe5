import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, type Repository } from 'typeorm';
import { FileStore } from '../../../kit/files/file-store.js';
import { everyItem } from '../../../kit/personal-data/pages.js';
import {
  type ExportingOwner,
  PersonalDataRegistry,
  type PersonalFile,
} from '../../../kit/personal-data/personal-data.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { KycCasesService } from './kyc-cases.service.js';
import { BY_SERVICE } from './kyc-changes.js';
import { KycData } from './kyc-data.js';
import { KycErasure } from './kyc-erasure.js';
import { KycImagesService } from './kyc-images.service.js';
import { KycImageEntity, KycViewEntity } from './kyc-records.entity.js';
import { type RevealedPersonDto, toRevealedDto } from './kyc-review.dto.js';
import { type KycDto, type KycImageDto, toKycImageDto } from './kyc.dto.js';
import { KYC_CASE_IDS, KYC_IMAGE_IDS } from '../ids.js';

const EXTENSION_OF_MEDIA_TYPE = /^image\/(\w+)$/;

type ExportedCase = KycDto & {
  /** Null once it was erased. */
  readonly revealed: RevealedPersonDto | null;
  readonly images: KycImageDto[];
};

/**
 * Exports KYC cases with the personal data in clear and the images as files, each noted as a look at it by the owner. The
 * law wants them kept for years after a user was closed; then they are erased.
 */
@Injectable()
export class KycPersonalData {
  private readonly cases: Repository<KycCaseEntity>;
  private readonly records: Repository<KycImageEntity>;
  private readonly views: Repository<KycViewEntity>;

  constructor(
    data: PersonalDataRegistry,
    files: FileStore,
    @InjectDataSource() dataSource: DataSource,
    private readonly own: KycCasesService,
    private readonly person: KycData,
    private readonly images: KycImagesService,
  ) {
    this.cases = dataSource.getRepository(KycCaseEntity);
    this.records = dataSource.getRepository(KycImageEntity);
    this.views = dataSource.getRepository(KycViewEntity);
    const erasure = new KycErasure(dataSource, files, BY_SERVICE);
    data.exports({
      name: 'kyc_cases',
      holds: 'what you submitted to be known by; images are in a folder of that name',
      rows: (owner) => this.casesOf(owner),
      files: (owner) => this.imagesOf(owner),
    });
    data.erases({
      name: 'kyc_cases',
      due: 'retention',
      erase: async ({ key }) => {
        await erasure.eraseOwner(key);
      },
    });
  }

  private async *casesOf({ principal, key }: ExportingOwner): AsyncGenerator<ExportedCase> {
    for await (const each of everyItem((page) => this.own.list(principal, page))) {
      const kycId = String(KYC_CASE_IDS.parse(each.kyc_id));
      const images = await this.records.find({ where: { kycId }, order: { imageId: 'ASC' } });
      yield { ...each, revealed: await this.reveal(kycId, key), images: images.map(toKycImageDto) };
    }
  }

  private async reveal(kycId: string, viewedBy: string): Promise<RevealedPersonDto | null> {
    const sealed = await this.cases.findOne({ select: { kycId: true, sealedData: true }, where: { kycId } });
    if (sealed === null || sealed.sealedData === null) return null;
    await this.views.insert({ kycId, imageId: null, viewedBy });
    return toRevealedDto(await this.person.open(kycId, sealed.sealedData));
  }

  private async *imagesOf({ principal }: ExportingOwner): AsyncGenerator<PersonalFile> {
    for await (const { kyc_id } of everyItem((page) => this.own.list(principal, page))) {
      const kycId = String(KYC_CASE_IDS.parse(kyc_id));
      const images = await this.records.find({
        where: { kycId, erasedAt: IsNull() },
        order: { imageId: 'ASC' },
      });
      for (const { imageId, mediaType } of images) {
        const id = KYC_IMAGE_IDS.format(Number(imageId));
        const { content } = await this.images.reveal(principal, kyc_id, id);
        yield { name: `${id}.${EXTENSION_OF_MEDIA_TYPE.exec(mediaType)?.[1] ?? 'bin'}`, content };
      }
    }
  }
}
