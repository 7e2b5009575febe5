import { Global } from '@nestjs/common';
import * as ERROR_CODES from './errors.js';
import { ImagesModule } from '../../kit/files/images/images.module.js';
import { BankingKeyEntity } from './banking-key.entity.js';
import { Fingerprints } from './fingerprints.js';
import { KycCaseEntity, KycPersonEntity } from './kyc/kyc-case.entity.js';
import { KycAccess } from './kyc/kyc-access.js';
import { KycAnnouncer } from './kyc/kyc-announcer.js';
import { KYC_LEVEL, KycApprovals } from './kyc/kyc-approvals.service.js';
import { KycCallbacks } from './kyc/kyc-callbacks.js';
import { KycCallbacksController } from './kyc/kyc-callbacks.controller.js';
import { KycCasesService } from './kyc/kyc-cases.service.js';
import { KycController } from './kyc/kyc.controller.js';
import { KycCountries } from './kyc/kyc-countries.js';
import { KycData } from './kyc/kyc-data.js';
import { KYC_EVENTS } from './kyc/kyc-events.js';
import { KycExpiry } from './kyc/kyc-expiry.js';
import { KycImagesService } from './kyc/kyc-images.service.js';
import { KycLevels } from './kyc/kyc-levels.js';
import { KycOutcomes } from './kyc/kyc-outcomes.js';
import { KycProviderCases } from './kyc/kyc-provider-cases.js';
import {
  KycCallbackEntity,
  KycImageEntity,
  KycStateEntity,
  KycViewEntity,
} from './kyc/kyc-records.entity.js';
import { KycRescreening } from './kyc/kyc-rescreening.js';
import { AdminKycController } from './kyc/admin-kyc.controller.js';
import { KycReviewService } from './kyc/kyc-review.service.js';
import { KycStanding } from './kyc/kyc-standing.js';
import { KycUpkeep, OLD_CALLBACKS } from './kyc/kyc-upkeep.js';
import { SanctionsListController } from './kyc/sanctions/sanctions-list.controller.js';
import { SanctionsList } from './kyc/sanctions/sanctions-list.js';
import { PayoutAccountEntity } from './payout-accounts/payout-account.entity.js';
import { PayoutAccountsController } from './payout-accounts/payout-accounts.controller.js';
import { PayoutAccountsService } from './payout-accounts/payout-accounts.service.js';
import { PayoutAnnouncer } from './payouts/payout-announcer.js';
import { PAYOUT_EVENTS } from './payouts/payout-events.js';
import { PayoutApprovals } from './payouts/payout-approvals.service.js';
import { PayoutLifecycle } from './payouts/payout-lifecycle.service.js';
import { AdminPayoutsController } from './payouts/admin-payouts.controller.js';
import { PayoutOperationsService } from './payouts/payout-operations.service.js';
import { PayoutStateEntity } from './payouts/payout-state.entity.js';
import { PAYOUT } from './payouts/payout-proposal.js';
import { KEYED_PAYOUTS, PayoutEntity } from './payouts/payout.entity.js';
import { PayoutsController } from './payouts/payouts.controller.js';
import { PayoutsService } from './payouts/payouts.service.js';
import { PayablePayouts } from './rails/payable-payouts.js';
import { Payouts } from './rails/payouts.js';
import { Deposits } from './deposits/deposits.js';
import { PayoutClock } from './rails/payout-clock.service.js';
import { PayoutFileEntity, PayoutRailEntity, PayoutReportEntity } from './rails/payout-file.entity.js';
import { PayoutFilesController } from './rails/payout-files.controller.js';
import { PayoutFilesService } from './rails/payout-files.service.js';
import { PayoutRemarkEntity } from './rails/payout-remark.entity.js';
import { PayoutRemarksController } from './rails/payout-remarks.controller.js';
import { PayoutRemarksService } from './rails/payout-remarks.service.js';
import { PayoutReportsService } from './rails/payout-reports.service.js';
import { LimitsModule } from '../limits/limits.module.js';
import { UsersModule } from '../users/users.module.js';
import { KycPersonalData } from './kyc/kyc-personal-data.js';
import { PayoutsPersonalData } from './payouts-personal-data.js';
import { RailsOfCurrencies } from './bank-rails/rails-of-currencies.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { extensionPoint } from '../../kit/module/extension-point.js';
import { BuiltInChecksOnly, KycProvider } from './kyc/kyc-provider.js';
import { FileRail } from './bank-rails/file-rail.js';
import { PayoutRail } from './bank-rails/payout-rail.js';
import {
  KYC_CASE_IDS,
  KYC_IMAGE_IDS,
  PAYOUT_ACCOUNT_IDS,
  PAYOUT_FILE_IDS,
  PAYOUT_IDS,
  PAYOUT_REMARK_IDS,
  PAYOUT_REPORT_IDS,
} from './ids.js';
import { BANKING_READ, BANKING_WRITE } from './scopes.js';
import { KYC_SETTINGS } from './kyc/kyc-settings.js';
import { PAYOUT_SETTINGS } from './bank-rails/payout-settings.js';
import { BankingBaseline1780000000720 } from './migrations/1780000000720-baseline.js';

/**
 * The Banking group: who people are, where their money may be paid to, and the payouts themselves. Global, so that plugins are
 * given `Payouts` and `Deposits`.
 */
@Global()
@TradepostModule({
  name: 'banking',
  errorCodes: Object.values(ERROR_CODES),
  settings: [KYC_SETTINGS, PAYOUT_SETTINGS],
  scopes: [BANKING_READ, BANKING_WRITE],
  idPrefixes: [
    KYC_CASE_IDS,
    KYC_IMAGE_IDS,
    PAYOUT_ACCOUNT_IDS,
    PAYOUT_IDS,
    PAYOUT_FILE_IDS,
    PAYOUT_REPORT_IDS,
    PAYOUT_REMARK_IDS,
  ],
  extensionPoints: [extensionPoint(KycProvider, BuiltInChecksOnly), extensionPoint(PayoutRail, FileRail)],
  implementations: [KycCountries, RailsOfCurrencies],
  webhookEvents: [...Object.values(PAYOUT_EVENTS), ...Object.values(KYC_EVENTS)],
  approvals: [
    PAYOUT.carriedOutBy(PayoutApprovals, ({ kind }) => kind),
    KYC_LEVEL.carriedOutBy(KycApprovals, ({ kind }) => kind),
  ],
  purges: [OLD_CALLBACKS, KEYED_PAYOUTS.purge],
  personalData: [KycPersonalData, PayoutsPersonalData],
  duties: [PayoutAnnouncer, KycAnnouncer],
  entities: [
    BankingKeyEntity,
    KycCaseEntity,
    KycPersonEntity,
    KycStateEntity,
    KycImageEntity,
    KycViewEntity,
    KycCallbackEntity,
    PayoutAccountEntity,
    PayoutEntity,
    PayoutStateEntity,
    PayoutFileEntity,
    PayoutRailEntity,
    PayoutReportEntity,
    PayoutRemarkEntity,
  ],
  migrations: [BankingBaseline1780000000720],
  imports: [ImagesModule, LimitsModule, UsersModule],
  controllers: [
    PayoutAccountsController,
    PayoutsController,
    AdminPayoutsController,
    PayoutFilesController,
    PayoutRemarksController,
    KycCallbacksController,
    KycController,
    AdminKycController,
    SanctionsListController,
  ],
  providers: [
    PayoutAccountsService,
    PayoutLifecycle,
    PayoutsService,
    PayoutApprovals,
    PayoutOperationsService,
    PayablePayouts,
    Payouts,
    Deposits,
    PayoutFilesService,
    PayoutReportsService,
    PayoutRemarksService,
    PayoutClock,
    Fingerprints,
    SanctionsList,
    KycAccess,
    KycApprovals,
    KycCallbacks,
    KycCasesService,
    KycData,
    KycExpiry,
    KycImagesService,
    KycLevels,
    KycOutcomes,
    KycProviderCases,
    KycRescreening,
    KycReviewService,
    KycStanding,
    KycUpkeep,
  ],
  exports: [PayoutsService, Payouts, Deposits],
})
export class BankingModule {}
