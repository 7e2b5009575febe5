import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { KycStatus } from './kyc-case.entity.js';

/** Every state that a case was in: since when, by whom, why. It has no personal data and stays for good. */
@Entity('kyc_states')
@Index('kyc_states_case', ['kycId', 'stateId'])
@Index('kyc_states_unannounced', ['stateId'], { where: 'NOT is_announced' })
export class KycStateEntity {
  @key.identity() readonly stateId: string;
  @column.bigint() kycId: string;
  @column.text() status: KycStatus;
  @column.smallint() level: number;
  /** A principal's key, `provider:` with a name, or `service`. */
  @column.text() changedBy: string;
  @column.text() code: string;
  /** An operator's own words. */
  @column.text({ nullable: true }) reason: string | null;
  @column.msTime({ default: NOW }) readonly changedAt: Date;
  /** Whether it was published to webhooks. */
  @column.boolean({ default: false }) readonly isAnnounced: boolean;
}

export const IMAGE_SIDES = ['front', 'back', 'selfie', 'proof_of_address'] as const;

export type ImageSide = (typeof IMAGE_SIDES)[number];

/** An image of a case; its file is encrypted. The row outlives the file. */
@Entity('kyc_images')
@Index('kyc_images_case', ['kycId', 'imageId'])
export class KycImageEntity {
  @key.identity('BY DEFAULT') imageId: string;
  @column.bigint() kycId: string;
  @column.text() side: ImageSide;
  @column.text() fileName: string;
  @column.text() mediaType: string;
  /** Of the image itself, not of the encrypted file. */
  @column.integer() sizeBytes: number;
  @column.bytes() sha256: Buffer;
  @column.msTime({ nullable: true }) erasedAt: Date | null;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
}

/** An operator saw the personal data of a case, or one image of it. */
@Entity('kyc_views')
@Index('kyc_views_case', ['kycId', 'viewId'])
export class KycViewEntity {
  @key.identity() readonly viewId: string;
  @column.bigint() kycId: string;
  /** Null for the data. */
  @column.bigint({ nullable: true }) imageId: string | null;
  @column.text() viewedBy: string;
  @column.msTime({ default: NOW }) readonly viewedAt: Date;
}

/** A message of a provider that was taken: the same one is not taken again. */
@Entity('kyc_callbacks')
@Index('kyc_callbacks_received', ['receivedAt'])
export class KycCallbackEntity {
  @key.text() provider: string;
  @key.text() messageId: string;
  @column.msTime({ default: NOW }) readonly receivedAt: Date;
}
