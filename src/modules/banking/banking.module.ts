import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BankingKeyEntity } from './banking-key.entity.js';
import { Fingerprints } from './fingerprints.js';
import { KycCaseEntity, KycPersonEntity } from './kyc/kyc-case.entity.js';
import { KycData } from './kyc/kyc-data.js';
import {
  KycCallbackEntity,
  KycImageEntity,
  KycStateEntity,
  KycViewEntity,
} from './kyc/kyc-records.entity.js';
import { KycStanding } from './kyc/kyc-standing.js';

/** The Banking group: who people are, where their money may be paid to, and the payouts themselves. */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      BankingKeyEntity,
      KycCaseEntity,
      KycPersonEntity,
      KycStateEntity,
      KycImageEntity,
      KycViewEntity,
      KycCallbackEntity,
    ]),
  ],
  providers: [Fingerprints, KycData, KycStanding],
})
export class BankingModule {}
