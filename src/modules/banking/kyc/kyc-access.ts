import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { KycExpiry } from './kyc-expiry.js';
import { KYC_CASE_IDS } from '../ids.js';

/** Finds the current state of cases by id. Another person's case counts as not found. */
@Injectable()
export class KycAccess {
  constructor(
    private readonly expiry: KycExpiry,
    @InjectRepository(KycCaseEntity) private readonly cases: Repository<KycCaseEntity>,
  ) {}

  /** The principal's case of an id. Throws `not_found` (404). */
  async caseOf(principal: Principal, text: string): Promise<KycCaseEntity> {
    await this.expiry.expireOf(principal.accountOwner);
    const kyc = await this.find(text);
    if (kyc?.owner !== principal.accountOwner) throw caseNotFound('GET /kyc');
    return kyc;
  }

  /** Anybody's case, for operators. Throws `not_found` (404). */
  async anyCase(text: string): Promise<KycCaseEntity> {
    const kyc = await this.find(text);
    if (kyc === null) throw caseNotFound('GET /admin/kyc');
    const hasEnded = await this.expiry.expireOf(kyc.owner);
    return hasEnded ? this.cases.findOneByOrFail({ kycId: kyc.kycId }) : kyc;
  }

  private async find(text: string): Promise<KycCaseEntity | null> {
    const kycId = KYC_CASE_IDS.parse(text);
    return kycId === undefined ? null : this.cases.findOneBy({ kycId: String(kycId) });
  }
}

function caseNotFound(list: string): ApiError {
  return new ApiError(NOT_FOUND, `There is no such KYC case. See ${list}.`);
}
