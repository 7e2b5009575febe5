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
export type { MarketDefinition, OrderSnapshot, Trade } from './domain/engine/types.js';
export { formatId, parseId } from './domain/ids.js';
export { PluginIdPrefix } from './domain/plugin-id-prefix.js';
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
export type { ReachedAccountDto } from './modules/markets/accounts/account.dto.js';
export type { BalanceDto } from './modules/markets/accounts/balance.dto.js';
export type { OrderListDto, PlaceOrderListDto } from './modules/markets/order-lists/order-list.dto.js';
export type { AmendOrderDto } from './modules/markets/orders/amend-order.dto.js';
export type { CancelledOrdersDto } from './modules/markets/orders/cancel-orders.dto.js';
export type { FillDto } from './modules/markets/orders/fill.dto.js';
export type { OrderBatchDto } from './modules/markets/orders/order-batch.dto.js';
export type { OrderPreviewDto } from './modules/markets/orders/order-preview.dto.js';
export type { OrderDto, OrderWithFillsDto } from './modules/markets/orders/order.dto.js';
export type { PlaceOrderDto } from './modules/markets/orders/place-order.dto.js';
export type { ReplacedOrderDto, ReplaceOrderDto } from './modules/markets/orders/replace-order.dto.js';
export type { Replayable } from './platform/http/idempotency/replay.js';
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
} from './platform/chain/chain-connector.js';
export { ChainConnectors, ConfiguredChains } from './platform/chain/chain-connectors.js';
export { EvmConnector } from './platform/chain/evm-connector.js';
export type { EvmSettings } from './platform/chain/evm-settings.js';
export { Audited, ChangesNothing } from './platform/audit/audited.js';
export { AuditLog } from './platform/audit/audit-log.js';
export type { Act, AuditEntry, AuditOutcome, AuditTarget } from './platform/audit/audit-entry.js';
export { CONFIG, ConfigError, StartRefusal, loadConfig, type Config } from './platform/config/config.js';
export { PluginSettings } from './platform/config/plugin-settings.js';
export * as readers from './platform/config/readers.js';
export type { Reader } from './platform/config/readers.js';
export { optional, setting, type Setting } from './platform/config/setting.js';
export { PG_POOL } from './platform/database/pg-pool.js';
export { inTransaction, type Transaction } from './platform/database/transaction.js';
export { FeePolicy, type FeeRateOverride, type ProposedOrder } from './platform/extension/fee-policy.js';
export {
  KycProvider,
  type KycCallback,
  type KycExamination,
  type KycOpinion,
  type PersonalData,
} from './platform/extension/kyc-provider.js';
export type { ExtensionPoint } from './platform/extension/extension-points.js';
export { TradepostPlugin, type PluginDeclaration } from './platform/extension/plugin.js';
export { RiskCheck, type RiskVerdict } from './platform/extension/risk-check.js';
export {
  SigningPolicy,
  type ProposedSignature,
  type SignedContent,
  type SigningVerdict,
} from './platform/extension/signing-policy.js';
export { ServiceFailure, type ServiceFailureCode } from './platform/coded-error.js';
export { FileStore, type StoredFile } from './platform/files/file-store.js';
export {
  type DataOwner,
  type ErasureTime,
  type ExportingOwner,
  PersonalDataRegistry,
  type PersonalErasure,
  type PersonalFile,
  type PersonalSection,
} from './platform/personal-data/personal-data.js';
export { BatchBody, FormBody, UploadBody } from './platform/http/body-policy.js';
export { ApiErrors, type DocumentedError } from './platform/http/api-errors.js';
export { ApiError, type ErrorCode, type FieldError } from './platform/http/errors.js';
export { networkOf } from './platform/network-of.js';
export { PluginErrorCode } from './platform/http/plugin-error-code.js';
export { PathParam, type PathParamDocumentation } from './platform/http/path-param.js';
export { AnswerTransaction } from './platform/http/idempotency/answer-transaction.js';
export { IdempotencyKeyHeader, fingerprintOf } from './platform/http/idempotency/idempotency-key.js';
export { Idempotent } from './platform/http/idempotency/idempotent.js';
export {
  ApiPageResponse,
  PageQueryDto,
  decodeCursor,
  pageOf,
  type Page,
} from './platform/http/pagination.js';
export {
  DescribesChannels,
  serverEvents,
  socketChannel,
  streamChannel,
  type ServerEvents,
} from './platform/realtime/asyncapi/event-catalogue.js';
export { Broadcast } from './platform/realtime/broadcast.js';
export type { PlainSocket } from './platform/realtime/plain-socket.js';
export { PlainSockets, type PlainSocketRoute } from './platform/realtime/plain-sockets.js';
export type { AuthenticatedSocketData } from './platform/realtime/socket-authentication.js';
export {
  SocketGateway,
  type Acknowledgement,
  type ClientEvent,
  type SocketAdmission,
} from './platform/realtime/socket-gateway.js';
export { RateLimitedAs } from './platform/rate-limit/rate-limit.guard.js';
export { IsPlainDecimal } from './platform/http/validation/is-plain-decimal.js';
export { QueryBoolean, QueryInteger, QueryText } from './platform/http/validation/query.js';
export { JobTask, type JobOptions, type JobRun, type JobWork } from './platform/jobs/job-task.js';
export { Jobs } from './platform/jobs/jobs.js';
export { OutgoingError, type OutgoingErrorCode } from './platform/outgoing/outgoing-error.js';
export {
  OutgoingHttp,
  type OutgoingRequest,
  type OutgoingResponse,
} from './platform/outgoing/outgoing-http.js';
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
} from './platform/payouts/payout-rail.js';
export { KeyVault, UnreadableSecret, type WrappedKey } from './platform/vault/key-vault.js';
export { rewrapDataKeys, type RewrapProgress, type Rewrapped } from './platform/vault/key-rotation.js';
export { SecretBox, type SecretPlace } from './platform/vault/secret-box.js';
export { MetricsRegistry, type MetricOptions } from './platform/metrics/metrics-registry.js';
export { Authenticated, Public, RequireScopes } from './platform/security/credentials.js';
export { CurrentPrincipal } from './platform/security/current-principal.js';
export type { HeldCredential } from './platform/security/authenticator.js';
export type { Principal } from './platform/security/principal.js';
export { SignedKeys, type SignedText, type SignedUse, type Signer } from './platform/security/signed-keys.js';
export { toApiError } from './platform/server/exception.filter.js';
export {
  ConsolePage,
  type ConsoleAudience,
  type ConsolePageOptions,
} from './platform/server/console/console-page.js';
export { PluginScope, type RequiredScopes } from './platform/security/plugin-scope.js';
export type { Scope, ScopeRequirement } from './platform/security/scopes.js';
export { registrationRootOf } from './platform/turns/owner.js';
export {
  WebhookEventType,
  type WebhookAudience,
  type WebhookEvent,
  type WebhookEventDeclaration,
  type WebhookFilter,
} from './platform/webhooks/webhook-event-type.js';
export { Webhooks } from './platform/webhooks/webhooks.js';
