import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Settings } from '../../../kit/config/settings.js';
import { KycData } from './kyc-data.js';
import { limitsAmong, type PayoutLimits } from './kyc-limits.js';
import { KYC_SETTINGS } from './kyc-settings.js';

/** How well an owner is known, at this moment by the database's clock. */
export interface OwnerKyc {
  /** 0 if there is no approved case, or its document has expired. */
  readonly level: number;
  readonly approved: boolean;
  /** The last day of the approved document, such as `2030-05-31`; null where nothing is approved. */
  readonly expiresOn: string | null;
  /** First and last name as approved; null where nothing is approved, or the data was erased. */
  readonly holderName: string | null;
}

interface ApprovedRow {
  readonly kyc_id: string;
  readonly level: number;
  readonly expires_on: string;
  readonly sealed_data: Buffer | null;
}

const UNKNOWN: OwnerKyc = { level: 0, approved: false, expiresOn: null, holderName: null };

/**
 * An owner's KYC state for the rest of banking. It reads the cases themselves, so that an expired document stops
 * counting at once, even before the accounts' level is updated.
 */
@Injectable()
export class KycStanding {
  constructor(
    private readonly settings: Settings,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly data: KycData,
  ) {}

  /** `owner` is a `Principal.accountOwner`. Reads in the caller's transaction if there is one. */
  async standingOf(owner: string, manager: EntityManager = this.dataSource.manager): Promise<OwnerKyc> {
    const [approved] = await manager.query<ApprovedRow[]>(
      `SELECT kyc_id, level, document_expires_on::text AS expires_on, sealed_data FROM kyc_cases
       WHERE owner = $1 AND status = 'approved'
         AND document_expires_on >= (clock_timestamp() AT TIME ZONE 'UTC')::date`,
      [owner],
    );
    if (approved === undefined) return UNKNOWN;
    return {
      level: approved.level,
      approved: true,
      expiresOn: approved.expires_on,
      holderName: await this.holderNameOf(approved, manager),
    };
  }

  /** The limits of a level in a currency such as `EUR`; all zero for level 0. */
  limitsOf(level: number, currency: string): PayoutLimits {
    return limitsAmong(this.settings.get(KYC_SETTINGS).limits, level, currency);
  }

  private async holderNameOf(
    { kyc_id, sealed_data }: ApprovedRow,
    manager: EntityManager,
  ): Promise<string | null> {
    if (sealed_data === null) return null;
    const { firstName, lastName } = await this.data.open(kyc_id, sealed_data, manager);
    return `${firstName} ${lastName}`;
  }
}
