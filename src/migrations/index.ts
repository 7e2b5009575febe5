import type { MigrationInterface } from 'typeorm';
import { CreateCoreTables1780000000000 } from './1780000000000-create-core-tables.js';
import { CreateIdentityTables1780000000100 } from './1780000000100-create-identity-tables.js';
import { CreateCandles1780000000200 } from './1780000000200-create-candles.js';
import { CreateGrants1780000000300 } from './1780000000300-create-grants.js';
import { CompleteIdentity1780000000400 } from './1780000000400-complete-identity.js';
import { CreatePets1780000000500 } from './1780000000500-create-pets.js';
import { CreateStore1780000000600 } from './1780000000600-create-store.js';
import { CreateIdempotencyKeys1780000000610 } from './1780000000610-create-idempotency-keys.js';
import { CreateSettlementProposals1780000000650 } from './1780000000650-create-settlement-proposals.js';
import { CreateBalanceMarks1780000000660 } from './1780000000660-create-balance-marks.js';
import { CreateFills1780000000700 } from './1780000000700-create-fills.js';
import { CreateQuotes1780000000750 } from './1780000000750-create-quotes.js';
import { CreateVault1780000000800 } from './1780000000800-create-vault.js';
import { CreateWallets1780000000810 } from './1780000000810-create-wallets.js';
import { CreateWalletAddresses1780000000820 } from './1780000000820-create-wallet-addresses.js';
import { CreateWalletSignatures1780000000830 } from './1780000000830-create-wallet-signatures.js';
import { CreateWalletTransfers1780000000850 } from './1780000000850-create-wallet-transfers.js';
import { CreateWalletDestinations1780000000860 } from './1780000000860-create-wallet-destinations.js';
import { CreateKyc1780000001000 } from './1780000001000-create-kyc.js';
import { CreateChains1780000000900 } from './1780000000900-create-chains.js';
import { CreateBlog1780000001200 } from './1780000001200-create-blog.js';
import { CreateStreamTickets1780000001300 } from './1780000001300-create-stream-tickets.js';
import { CreateChat1780000001320 } from './1780000001320-create-chat.js';
import { CreatePayouts1780000001050 } from './1780000001050-create-payouts.js';
import { CreateAccountChanges1780000001360 } from './1780000001360-create-account-changes.js';
import { CreateCancelSwitches1780000001370 } from './1780000001370-create-cancel-switches.js';
import { CreateNews1780000001430 } from './1780000001430-create-news.js';
import { AnnounceStates1780000001450 } from './1780000001450-announce-states.js';
import { CreateChatAnnouncedRooms1780000001460 } from './1780000001460-create-chat-announced-rooms.js';
import { CreateAuditLog1780000001500 } from './1780000001500-create-audit-log.js';
import { CreateWebhooks1780000001400 } from './1780000001400-create-webhooks.js';
import { CreateApprovals1780000001520 } from './1780000001520-create-approvals.js';
import { RecordPasswordResets1780000001521 } from './1780000001521-record-password-resets.js';
import { FreezeAccounts1780000001540 } from './1780000001540-freeze-accounts.js';
import { ListDestinationsByOwner1780000001541 } from './1780000001541-list-destinations-by-owner.js';
import { BoundStops1780000001580 } from './1780000001580-bound-stops.js';
import { SettleInChunks1780000001581 } from './1780000001581-settle-in-chunks.js';
import { FollowPublicUrl1780000001560 } from './1780000001560-follow-public-url.js';
import { CountUsersByRoot1780000001562 } from './1780000001562-count-users-by-root.js';
import { KeepLoginMethods1780000001564 } from './1780000001564-keep-login-methods.js';
import { BindWebhooksToCredentials1780000001566 } from './1780000001566-bind-webhooks-to-credentials.js';
import { PageCheckpoints1780000001600 } from './1780000001600-page-checkpoints.js';
import { ProjectFromTheJournal1780000001700 } from './1780000001700-project-from-the-journal.js';
import { PackTheJournal1780000001705 } from './1780000001705-pack-the-journal.js';
import { FindQuotesById1780000001710 } from './1780000001710-find-quotes-by-id.js';
import { KeepUpdatesHot1780000001711 } from './1780000001711-keep-updates-hot.js';
import { PartitionTheJournal1780000001800 } from './1780000001800-partition-the-journal.js';
import { LeaseCancelSwitches1780000001900 } from './1780000001900-lease-cancel-switches.js';
import { CreateExchangeSecret1780000002000 } from './1780000002000-create-exchange-secret.js';
import { ListPayoutsByTime1780000002100 } from './1780000002100-list-payouts-by-time.js';
import { ListFillsOfAllMarkets1780000002110 } from './1780000002110-list-fills-of-all-markets.js';
import { OrderAnyQuantity1780000002130 } from './1780000002130-order-any-quantity.js';
import { ListTransfersOfAccounts1780000002120 } from './1780000002120-list-transfers-of-accounts.js';
import { ListForOperators1780000002210 } from './1780000002210-list-for-operators.js';
import { ChangeMarkets1780000002220 } from './1780000002220-change-markets.js';
import { BanFromRooms1780000002230 } from './1780000002230-ban-from-rooms.js';
import { KeepSessions1780000002240 } from './1780000002240-keep-sessions.js';
import { ListWebhooksOfAll1780000002250 } from './1780000002250-list-webhooks-of-all.js';
import { AddSecondFactors1780000002260 } from './1780000002260-add-second-factors.js';
import { ResetSecondFactors1780000002270 } from './1780000002270-reset-second-factors.js';
import { BindApiKeys1780000002280 } from './1780000002280-bind-api-keys.js';
import { BindKeysToAccounts1780000002360 } from './1780000002360-bind-keys-to-accounts.js';
import { ShareAccounts1780000002370 } from './1780000002370-share-accounts.js';
import { AddPasskeys1780000002440 } from './1780000002440-add-passkeys.js';
import { LogInByPasskeys1780000002450 } from './1780000002450-log-in-by-passkeys.js';
import { RotateAndSign1780000002330 } from './1780000002330-rotate-and-sign.js';
import { RememberNonces1780000002340 } from './1780000002340-remember-nonces.js';
import { VerifyAddresses1780000002300 } from './1780000002300-verify-addresses.js';
import { KnowDevices1780000002310 } from './1780000002310-know-devices.js';
import { LimitOneself1780000002420 } from './1780000002420-limit-oneself.js';
import { ExportOwnData1780000002390 } from './1780000002390-export-own-data.js';
import { EraseClosedUsers1780000002400 } from './1780000002400-erase-closed-users.js';
import { RetainBySetting1780000002410 } from './1780000002410-retain-by-setting.js';
import { AdvancedOrderTerms1780000002455 } from './1780000002455-advanced-order-terms.js';
import { ProtectMakers1780000002456 } from './1780000002456-protect-makers.js';
import { SignBySharedSecrets1780000002460 } from './1780000002460-sign-by-shared-secrets.js';
import { ScheduleFees1780000002480 } from './1780000002480-schedule-fees.js';
import { GroupEvents1780000002490 } from './1780000002490-group-events.js';
import { FindTrailingStops1780000002500 } from './1780000002500-find-trailing-stops.js';
import { ProveTheJournal1780000002520 } from './1780000002520-prove-the-journal.js';
import { ProveLiabilities1780000002530 } from './1780000002530-prove-liabilities.js';
import { CorrectGroups1780000002560 } from './1780000002560-correct-groups.js';
import { BoundOwners1780000002600 } from './1780000002600-bound-owners.js';
import { BandMarketOrders1780000002601 } from './1780000002601-band-market-orders.js';
import { BindMailTokens1780000002575 } from './1780000002575-bind-mail-tokens.js';
import { ReadBankReportsOnce1780000002611 } from './1780000002611-read-bank-reports-once.js';
import { RemarkOnBankReports1780000002612 } from './1780000002612-remark-on-bank-reports.js';
import { BindSignedTexts1780000002710 } from './1780000002710-bind-signed-texts.js';
import { CarryTransfers1780000002750 } from './1780000002750-carry-transfers.js';
import { WatchKeys1780000002775 } from './1780000002775-watch-keys.js';
import { KeySubAccounts1780000002790 } from './1780000002790-key-sub-accounts.js';
import { MergeMarks1780000002760 } from './1780000002760-merge-marks.js';
import { GiveAddressesAPurpose1780000002700 } from './1780000002700-give-addresses-a-purpose.js';
import { ExcludeByRoot1780000002572 } from './1780000002572-exclude-by-root.js';
import { KnowInstallations1780000002576 } from './1780000002576-know-installations.js';
import { DeclareApprovalKinds1780000002770 } from './1780000002770-declare-approval-kinds.js';

/** The service's own migrations, oldest first. Named one by one, so that they are the same compiled and under test. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  CreateCoreTables1780000000000,
  CreateIdentityTables1780000000100,
  CreateCandles1780000000200,
  CreateGrants1780000000300,
  CompleteIdentity1780000000400,
  CreatePets1780000000500,
  CreateStore1780000000600,
  CreateIdempotencyKeys1780000000610,
  CreateSettlementProposals1780000000650,
  CreateBalanceMarks1780000000660,
  CreateFills1780000000700,
  CreateQuotes1780000000750,
  CreateVault1780000000800,
  CreateWallets1780000000810,
  CreateWalletAddresses1780000000820,
  CreateWalletSignatures1780000000830,
  CreateWalletTransfers1780000000850,
  CreateWalletDestinations1780000000860,
  CreateKyc1780000001000,
  CreatePayouts1780000001050,
  CreateChains1780000000900,
  CreateBlog1780000001200,
  CreateStreamTickets1780000001300,
  CreateChat1780000001320,
  CreateAccountChanges1780000001360,
  CreateCancelSwitches1780000001370,
  CreateNews1780000001430,
  AnnounceStates1780000001450,
  CreateChatAnnouncedRooms1780000001460,
  CreateWebhooks1780000001400,
  CreateAuditLog1780000001500,
  CreateApprovals1780000001520,
  RecordPasswordResets1780000001521,
  FreezeAccounts1780000001540,
  ListDestinationsByOwner1780000001541,
  FollowPublicUrl1780000001560,
  CountUsersByRoot1780000001562,
  KeepLoginMethods1780000001564,
  BindWebhooksToCredentials1780000001566,
  BoundStops1780000001580,
  SettleInChunks1780000001581,
  PageCheckpoints1780000001600,
  ProjectFromTheJournal1780000001700,
  PackTheJournal1780000001705,
  FindQuotesById1780000001710,
  KeepUpdatesHot1780000001711,
  PartitionTheJournal1780000001800,
  LeaseCancelSwitches1780000001900,
  CreateExchangeSecret1780000002000,
  ListPayoutsByTime1780000002100,
  ListFillsOfAllMarkets1780000002110,
  ListTransfersOfAccounts1780000002120,
  OrderAnyQuantity1780000002130,
  ListForOperators1780000002210,
  ChangeMarkets1780000002220,
  BanFromRooms1780000002230,
  KeepSessions1780000002240,
  ListWebhooksOfAll1780000002250,
  AddSecondFactors1780000002260,
  ResetSecondFactors1780000002270,
  BindApiKeys1780000002280,
  BindKeysToAccounts1780000002360,
  ShareAccounts1780000002370,
  AddPasskeys1780000002440,
  LogInByPasskeys1780000002450,
  RotateAndSign1780000002330,
  RememberNonces1780000002340,
  VerifyAddresses1780000002300,
  KnowDevices1780000002310,
  LimitOneself1780000002420,
  ExportOwnData1780000002390,
  EraseClosedUsers1780000002400,
  RetainBySetting1780000002410,
  AdvancedOrderTerms1780000002455,
  ProtectMakers1780000002456,
  SignBySharedSecrets1780000002460,
  ScheduleFees1780000002480,
  GroupEvents1780000002490,
  FindTrailingStops1780000002500,
  ProveTheJournal1780000002520,
  ProveLiabilities1780000002530,
  CorrectGroups1780000002560,
  BoundOwners1780000002600,
  BandMarketOrders1780000002601,
  BindMailTokens1780000002575,
  ReadBankReportsOnce1780000002611,
  RemarkOnBankReports1780000002612,
  GiveAddressesAPurpose1780000002700,
  BindSignedTexts1780000002710,
  CarryTransfers1780000002750,
  MergeMarks1780000002760,
  ExcludeByRoot1780000002572,
  KnowInstallations1780000002576,
  DeclareApprovalKinds1780000002770,
  WatchKeys1780000002775,
  KeySubAccounts1780000002790,
];
