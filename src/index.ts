/** What those who extend or embed the service build on; everything else may change without notice. */
export { createApp, type AppOptions, type Service } from './create-app.js';
export { start } from './start.js';
export type { Command, CommandResult, Outcome, Refusal, RefusalCode } from './domain/engine/commands.js';
export type {
  CancelPreview,
  OrderListPreview,
  OrderPreview,
  PreviewableCommand,
  PreviewOf,
  ReplacementPreview,
  SettlementPreview,
} from './domain/engine/preview.js';
export type { QuotePrice, QuoteRequest } from './domain/engine/quotes.js';
export type { LedgerTransfer, MarketDefinition, OrderSnapshot, Trade } from './domain/engine/types.js';
export { IdPrefix } from './domain/ids.js';
export { ACCOUNT_IDS } from './modules/accounts/ids.js';
export { ORDER_LIST_NOT_FOUND, RISK_REFUSED } from './modules/markets/errors.js';
export { FILL_IDS, ORDER_IDS, ORDER_LIST_IDS, TRADE_IDS } from './modules/markets/names/ids.js';
export { amount, formatAmount, parseAmount, type Amount } from './domain/money/amount.js';
export { CoreService } from './core/core.service.js';
export type { CommittedBatch, CoreAnswer, CoreRequest } from './core/core.types.js';
export {
  Trading,
  type AccountListener,
  type FillSelection,
  type OrderListSelection,
  type OrderSelection,
  type RepeatOptions,
} from './modules/exchange/trading/trading.js';
export type { AccountFeesDto } from './modules/exchange/fees/account-fees.dto.js';
export type { AccountFillDto } from './modules/exchange/fills/account-fill.dto.js';
export type { AccountEvent } from './modules/markets/account-stream/account-stream.events.js';
export type { ReachedAccountDto } from './modules/accounts/account.dto.js';
export type { BalanceDto } from './modules/markets/holdings/balance.dto.js';
export type { OrderListDto, PlaceOrderListDto } from './modules/markets/order-lists/order-list.dto.js';
export type { AmendOrderDto } from './modules/markets/orders/amend-order.dto.js';
export type { CancelledOrdersDto } from './modules/markets/orders/cancel-orders.dto.js';
export type { FillDto } from './modules/markets/orders/fill.dto.js';
export type { OrderBatchDto } from './modules/markets/orders/order-batch.dto.js';
export type { OrderPreviewDto } from './modules/markets/orders/order-preview.dto.js';
export type { OrderDto, OrderWithFillsDto } from './modules/markets/orders/order.dto.js';
export type { PlaceOrderDto } from './modules/markets/orders/place-order.dto.js';
export type { ReplacedOrderDto, ReplaceOrderDto } from './modules/markets/orders/replace-order.dto.js';
export type { Replayable } from './kit/http/idempotency/replay.js';
export type { CandleDto, CandleInterval } from './modules/markets/market-data/candle.dto.js';
export {
  MarketData,
  type CandleSelection,
  type FirstCandlesSelection,
  type FirstSelection,
  type FirstTradesSelection,
  type HistorySelection,
  type MarketChange,
  type MarketListener,
  type MarketSelection,
  type PageSelection,
} from './modules/markets/market-data/market-data.js';
export type { MarketDto, TickerDto } from './modules/markets/market-data/market.dto.js';
export type { LevelDto, OrderbookDto } from './modules/markets/market-data/orderbook.dto.js';
export type { TradeDto } from './modules/markets/market-data/trade.dto.js';
export {
  ChainConnector,
  ChainMoved,
  ChainUnavailable,
  type ChainAsset,
  type ChainBlock,
  type FeeMarket,
  type FeeOffer,
  type Inclusion,
  type IncomingTransfer,
  type OwnAddresses,
  type ChainPayment,
  type TransactionTerms,
  type SendOutcome,
  type SignedTransaction,
} from './modules/wallets/chains/chain-connector.js';
export { ChainConnectors, ConfiguredChains } from './modules/wallets/chains/chain-connectors.js';
export { CHAIN_RPC_URLS } from './modules/wallets/chains/chain-settings.js';
export { EvmConnector } from './modules/wallets/chains/evm-connector.js';
export type { EvmSettings } from './modules/wallets/chains/evm-settings.js';
export type { ApprovalKind, ApprovalOf } from './kit/approvals/approval-kind.js';
export { ApprovalType, type ApprovalHandler } from './kit/approvals/approval-type.js';
export { approvalIdOf, type ApprovalEntity } from './kit/approvals/approval.entity.js';
export {
  Approvals,
  type Proposal,
  type ProposalRequest,
  type Proposed,
} from './kit/approvals/approvals.service.js';
export { answerProposable, ApiProposed, type Proposable } from './kit/approvals/proposed.js';
export { Audited, ChangesNothing } from './kit/audit/audited.js';
export { AuditLog } from './kit/audit/audit-log.js';
export type { Act, AuditEntry, AuditOutcome, AuditTarget } from './kit/audit/audit-entry.js';
export { CONFIG, ConfigError, StartRefusal, loadConfig, type Config } from './kit/config/config.js';
export { Settings } from './kit/config/settings.js';
export * as readers from './kit/config/readers.js';
export type { Reader } from './kit/config/readers.js';
export { optional, secret, setting, settingForEach, type Setting } from './kit/config/setting.js';
export { settingGroup, type SettingGroup } from './kit/config/setting-group.js';
export { SharedCache } from './kit/changes/shared-cache.js';
export {
  Filter,
  type FilterVerdict,
  type MessageFacts,
  type MessageText,
  type NewsFacts,
  type NewsText,
  type PostFacts,
  type PostText,
  type ProfileFacts,
  type ProfileText,
  type RoomFacts,
  type RoomText,
} from './kit/filters/filter.js';
export { PG_POOL } from './kit/database/pg-pool.js';
export { inTransaction, type Statements, type Transaction } from './kit/database/transaction.js';
export {
  FeePolicy,
  type FeeRateOverride,
  type ProposedOrder,
} from './modules/markets/policies/fee-policy.js';
export { DurableConsumer } from './kit/consumers/durable-consumer.js';
export { DurableListener, type ListenedEvent } from './kit/consumers/durable-listener.js';
export { LedgerConsumer, type LedgerBeginning, type LedgerCommit } from './kit/consumers/ledger-consumer.js';
export {
  IdentityProvider,
  IdentityRefused,
  type EndedIdentity,
  type IdentityLogIn,
  type IdentityProfile,
  type ProvedIdentity,
} from './modules/auth/identity/identity-provider.js';
export {
  KycProvider,
  type KycCallback,
  type KycExamination,
  type KycOpinion,
  type PersonalData,
} from './modules/banking/kyc/kyc-provider.js';
export { bool, decimal, integer, oneOf, text, timestamp, type FieldType } from './kit/fields/field-type.js';
export { Fields } from './kit/fields/fields.js';
export type { FieldDeclaration } from './kit/fields/field-declaration.js';
export type { FieldAudience, Fielded } from './kit/http/fielded.js';
export type { FieldChanges, FieldValue, FieldValues } from './domain/fields.js';
export type { ExtensionPoint } from './kit/module/extension-point.js';
export { TradepostPlugin, type PluginDeclaration } from './kit/module/tradepost-module.js';
export type { OrderContext, OrderOwner } from './modules/markets/policies/order-owner.js';
export { RiskCheck, type RiskVerdict } from './modules/markets/policies/risk-check.js';
export {
  SigningPolicy,
  type ProposedSignature,
  type SignedContent,
  type SigningVerdict,
} from './modules/wallets/signing/signing-policy.js';
export { ServiceFailure, type ServiceFailureCode } from './kit/coded-error.js';
export { FileStore, type StoredFile } from './kit/files/file-store.js';
export {
  type DataOwner,
  type ErasureTime,
  type ExportingOwner,
  type PersonalErasure,
  type PersonalFile,
  type PersonalSection,
} from './kit/personal-data/personal-data.js';
export { BatchBody, FormBody, UploadBody } from './kit/http/body-policy.js';
export { ApiErrors } from './kit/http/api-errors.js';
export { ErrorCode } from './kit/http/error-code.js';
export * from './kit/http/error-codes.js';
export { ApiError, type FieldError } from './kit/http/errors.js';
export { errorOf, REFUSALS } from './modules/accounts/commands/refusals.js';
export { networkOf } from './kit/network-of.js';
export { PathParam, type PathParamDocumentation } from './kit/http/path-param.js';
export { AnswerTransaction } from './kit/http/idempotency/answer-transaction.js';
export { IdempotencyKeyHeader } from './kit/http/idempotency/idempotency-key.js';
export { fingerprintOf } from './kit/repeated-requests.js';
export { Idempotent } from './kit/http/idempotency/idempotent.js';
export { ApiPageResponse, PageQueryDto, decodeCursor, pageOf, type Page } from './kit/http/pagination.js';
export {
  DescribesChannels,
  serverEvents,
  socketChannel,
  streamChannel,
  type ServerEvents,
} from './kit/realtime/asyncapi/event-catalogue.js';
export { Broadcast } from './kit/realtime/broadcast.js';
export type { PlainSocket } from './kit/realtime/plain-socket.js';
export { PlainSockets, type PlainSocketRoute } from './kit/realtime/plain-sockets.js';
export type { AuthenticatedSocketData } from './kit/realtime/socket-authentication.js';
export {
  SocketGateway,
  type Acknowledgement,
  type ClientEvent,
  type SocketAdmission,
} from './kit/realtime/socket-gateway.js';
export { RateLimitedAs } from './kit/rate-limit/rate-limit.guard.js';
export { IsPlainDecimal } from './kit/http/validation/is-plain-decimal.js';
export { QueryBoolean, QueryInteger, QueryText } from './kit/http/validation/query.js';
export type { LeaderDuty } from './kit/jobs/job-leader.js';
export {
  BackgroundLoop,
  type BackgroundLoopOptions,
  type BackgroundRun,
} from './kit/jobs/background-loop.js';
export { JobTask, type JobHandler, type JobOptions, type JobRun } from './kit/jobs/job-task.js';
export { Jobs } from './kit/jobs/jobs.js';
export { Schedule, type DueRun } from './kit/jobs/schedule.js';
export type { PurgedRows } from './kit/jobs/purges.js';
export { OutgoingError, type OutgoingErrorCode } from './kit/outgoing/outgoing-error.js';
export { OutgoingHttp, type OutgoingRequest, type OutgoingResponse } from './kit/outgoing/outgoing-http.js';
export {
  PayoutRail,
  UnreadableReport,
  type PayeeAccount,
  type PayoutBatch,
  type RailFile,
  type RailPayment,
  type RailReport,
  type RailReportEntry,
  type RailTerms,
} from './modules/banking/bank-rails/payout-rail.js';
export type { PayoutCalendar } from './domain/banking/bank-calendar.js';
export { FileRail } from './modules/banking/bank-rails/file-rail.js';
export { Deposits, type CreditedDeposit, type DepositCredit } from './modules/banking/deposits/deposits.js';
export { Payouts, type PayoutOutcome, type PendingPayout } from './modules/banking/rails/payouts.js';
export { KeyVault, UnreadableSecret, type WrappedKey } from './kit/vault/key-vault.js';
export { rewrapDataKeys, type RewrapProgress, type Rewrapped } from './kit/vault/key-rotation.js';
export { SecretBox, type SecretPlace } from './kit/vault/secret-box.js';
export { MetricsRegistry, type MetricOptions } from './kit/metrics/metrics-registry.js';
export { Authenticated, Public, RequireScopes } from './kit/security/credential-policy.js';
export { CurrentPrincipal } from './kit/security/current-principal.js';
export type { HeldCredential } from './kit/security/authenticator.js';
export type { Principal } from './kit/security/principal.js';
export { SignedKeys, type SignedText, type SignedUse, type Signer } from './kit/security/signed-keys.js';
export { toApiError } from './kit/server/exception.filter.js';
export {
  ConsolePage,
  type ConsoleAudience,
  type ConsolePageOptions,
} from './kit/server/console/console-page.js';
export {
  OPERATOR_COMPLIANCE,
  OPERATOR_CONTENT,
  OPERATOR_FINANCE,
  OPERATOR_MARKETS,
  OPERATOR_READ,
  OPERATOR_SECURITY,
  OPERATOR_SUPPORT,
  operators,
} from './kit/security/operator-roles.js';
export { ADMIN, Scope, type ScopeRequirement } from './kit/security/scope.js';
export { registrationRootOf } from './kit/turns/owner.js';
export {
  WebhookEventType,
  type WebhookAudience,
  type WebhookEvent,
  type WebhookEventDeclaration,
  type WebhookFilter,
} from './kit/webhooks/webhook-event-type.js';
export { Webhooks } from './kit/webhooks/webhooks.js';
export { Texts } from './kit/words/texts.js';
export { WordCatalog } from './kit/words/word-catalog.js';
