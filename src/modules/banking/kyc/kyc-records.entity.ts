import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { KycStatus } from './kyc-case.entity.js';

/** Every state that a case was in: since when, by whom, why. It has no personal data and stays for good. */
@Entity('kyc_states')
@Index('kyc_states_case', ['kycId', 'stateId'])
@Index('kyc_states_unannounced', ['stateId'], { where: 'NOT is_announced' })
export class KycStateEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'state_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'kyc_states_pkey',
  })
  readonly stateId: string;

  @Column({ name: 'kyc_id', type: 'bigint' })
  kycId: string;

  @Column({ name: 'status', type: 'text' })
  status: KycStatus;

  @Column({ name: 'level', type: 'smallint' })
  level: number;

  /** A principal's key, `provider:` with a name, or `service`. */
  @Column({ name: 'changed_by', type: 'text' })
  changedBy: string;

  @Column({ name: 'code', type: 'text' })
  code: string;

  /** An operator's own words. */
  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;

  @Column({ name: 'changed_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly changedAt: Date;

  /** Whether it was published to webhooks. */
  @Column({ name: 'is_announced', type: 'boolean', default: false })
  readonly isAnnounced: boolean;
}

export const IMAGE_SIDES = ['front', 'back', 'selfie', 'proof_of_address'] as const;

export type ImageSide = (typeof IMAGE_SIDES)[number];

/** An image of a case; its file is encrypted. The row outlives the file. */
@Entity('kyc_images')
@Index('kyc_images_case', ['kycId', 'imageId'])
export class KycImageEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'image_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'kyc_images_pkey',
  })
  imageId: string;

  @Column({ name: 'kyc_id', type: 'bigint' })
  kycId: string;

  @Column({ name: 'side', type: 'text' })
  side: ImageSide;

  @Column({ name: 'file_name', type: 'text' })
  fileName: string;

  @Column({ name: 'media_type', type: 'text' })
  mediaType: string;

  /** Of the image itself, not of the encrypted file. */
  @Column({ name: 'size_bytes', type: 'integer' })
  sizeBytes: number;

  @Column({ name: 'sha256', type: 'bytea' })
  sha256: Buffer;

  @Column({ name: 'erased_at', type: 'timestamptz', precision: 3, nullable: true })
  erasedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;
}

/** An operator saw the personal data of a case, or one image of it. */
@Entity('kyc_views')
@Index('kyc_views_case', ['kycId', 'viewId'])
export class KycViewEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'view_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'kyc_views_pkey',
  })
  readonly viewId: string;

  @Column({ name: 'kyc_id', type: 'bigint' })
  kycId: string;

  /** Null for the data. */
  @Column({ name: 'image_id', type: 'bigint', nullable: true })
  imageId: string | null;

  @Column({ name: 'viewed_by', type: 'text' })
  viewedBy: string;

  @Column({ name: 'viewed_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly viewedAt: Date;
}

/** A message of a provider that was taken: the same one is not taken again. */
@Entity('kyc_callbacks')
@Index('kyc_callbacks_received', ['receivedAt'])
export class KycCallbackEntity {
  @PrimaryColumn({ name: 'provider', type: 'text', primaryKeyConstraintName: 'kyc_callbacks_pkey' })
  provider: string;

  @PrimaryColumn({ name: 'message_id', type: 'text', primaryKeyConstraintName: 'kyc_callbacks_pkey' })
  messageId: string;

  @Column({ name: 'received_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly receivedAt: Date;
}
