import { StartRefusal } from './kit/config/start-refusal.js';

/** What baselines took the place of, in the order in which it ran: both make the same tables. */
export const FORMER: readonly string[] = [
  'CreateCoreTables1780000000000',
  'CreateIdentityTables1780000000100',
  'CreateCandles1780000000200',
  'CreateGrants1780000000300',
  'CompleteIdentity1780000000400',
  'CreatePets1780000000500',
  'CreateStore1780000000600',
  'CreateIdempotencyKeys1780000000610',
  'CreateSettlementProposals1780000000650',
  'CreateBalanceMarks1780000000660',
  'CreateFills1780000000700',
  'CreateQuotes1780000000750',
  'CreateVault1780000000800',
  'CreateWallets1780000000810',
  'CreateWalletAddresses1780000000820',
  'CreateWalletSignatures1780000000830',
  'CreateWalletTransfers1780000000850',
  'CreateWalletDestinations1780000000860',
  'CreateChains1780000000900',
  'CreateKyc1780000001000',
  'CreatePayouts1780000001050',
  'CreateBlog1780000001200',
  'CreateStreamTickets1780000001300',
  'CreateChat1780000001320',
  'CreateAccountChanges1780000001360',
  'CreateCancelSwitches1780000001370',
  'CreateWebhooks1780000001400',
  'CreateNews1780000001430',
  'AnnounceStates1780000001450',
  'CreateChatAnnouncedRooms1780000001460',
  'CreateAuditLog1780000001500',
  'CreateApprovals1780000001520',
  'RecordPasswordResets1780000001521',
  'FreezeAccounts1780000001540',
  'ListDestinationsByOwner1780000001541',
  'FollowPublicUrl1780000001560',
  'CountUsersByRoot1780000001562',
  'KeepLoginMethods1780000001564',
  'BindWebhooksToCredentials1780000001566',
  'BoundStops1780000001580',
  'SettleInChunks1780000001581',
  'PageCheckpoints1780000001600',
  'ProjectFromTheJournal1780000001700',
  'PackTheJournal1780000001705',
  'FindQuotesById1780000001710',
  'KeepUpdatesHot1780000001711',
  'PartitionTheJournal1780000001800',
  'LeaseCancelSwitches1780000001900',
  'CreateExchangeSecret1780000002000',
  'ListPayoutsByTime1780000002100',
  'ListFillsOfAllMarkets1780000002110',
  'ListTransfersOfAccounts1780000002120',
  'OrderAnyQuantity1780000002130',
  'ListForOperators1780000002210',
  'ChangeMarkets1780000002220',
  'BanFromRooms1780000002230',
  'KeepSessions1780000002240',
  'ListWebhooksOfAll1780000002250',
  'AddSecondFactors1780000002260',
  'ResetSecondFactors1780000002270',
  'BindApiKeys1780000002280',
  'VerifyAddresses1780000002300',
  'KnowDevices1780000002310',
  'RotateAndSign1780000002330',
  'RememberNonces1780000002340',
  'BindKeysToAccounts1780000002360',
  'ShareAccounts1780000002370',
  'ExportOwnData1780000002390',
  'EraseClosedUsers1780000002400',
  'RetainBySetting1780000002410',
  'LimitOneself1780000002420',
  'AddPasskeys1780000002440',
  'LogInByPasskeys1780000002450',
  'AdvancedOrderTerms1780000002455',
  'ProtectMakers1780000002456',
  'SignBySharedSecrets1780000002460',
  'ScheduleFees1780000002480',
  'GroupEvents1780000002490',
  'FindTrailingStops1780000002500',
  'ProveTheJournal1780000002520',
  'ProveLiabilities1780000002530',
  'CorrectGroups1780000002560',
  'ExcludeByRoot1780000002572',
  'BindMailTokens1780000002575',
  'KnowInstallations1780000002576',
  'BoundOwners1780000002600',
  'BandMarketOrders1780000002601',
  'ReadBankReportsOnce1780000002611',
  'RemarkOnBankReports1780000002612',
  'GiveAddressesAPurpose1780000002700',
  'BindSignedTexts1780000002710',
  'CarryTransfers1780000002750',
  'MergeMarks1780000002760',
  'DeclareApprovalKinds1780000002770',
  'WatchKeys1780000002775',
];

/** Not that of a group from later, which makes tables that no former migration has made. */
const BASELINE = /Baseline1780000000\d{3}$/;

/** Of all migrations, those that took their place. */
export function baselinesOf(migrations: readonly { readonly name: string }[]): readonly string[] {
  return migrations.map(({ name }) => name).filter((name) => BASELINE.test(name));
}

/** Throws a StartRefusal for a database whose tables were made by former migrations, and not adopted. */
export function refuseFormer(
  areDone: ReadonlySet<string>,
  migrations: readonly { readonly name: string }[],
): void {
  const isFormer = FORMER.some((name) => areDone.has(name));
  const isAdopted = baselinesOf(migrations).every((name) => areDone.has(name));
  if (!isFormer || isAdopted) return;
  requireWhole(areDone);
  throw new StartRefusal(
    'The tables of the database were made by an earlier version: run "npx tradepost migrations adopt" once.',
  );
}

/** Throws a StartRefusal for a database that lacks some of the former migrations. */
export function requireWhole(areDone: ReadonlySet<string>): void {
  const missing = FORMER.find((name) => !areDone.has(name));
  if (missing !== undefined)
    throw new StartRefusal(
      `The database lacks the migration ${missing}: start the last version that has it on this database once, then run "npx tradepost migrations adopt".`,
    );
}
