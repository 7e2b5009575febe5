import * as ERROR_CODES from './errors.js';
import { AuthModule } from '../auth/auth.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { UsersModule } from '../users/users.module.js';
import { StatementsController } from './holdings/statements.controller.js';
import { StatementsService } from './holdings/statements.service.js';
import { HoldingsService } from './holdings/holdings.service.js';
import { BalanceHistory } from './holdings/balance-history.js';
import { CombinedStatements } from './holdings/combined-statements.service.js';
import { BalanceEntity } from './holdings/balance.entity.js';
import { PositionEntity } from './holdings/position.entity.js';
import { PositionsService } from './holdings/positions.service.js';
import { TransferEntity } from './holdings/transfer.entity.js';
import { AccountVolumes, OLD_VOLUMES } from './fees/account-volumes.service.js';
import { AccountFeeScheduleEntity, FeeScheduleEntity } from './fees/fee-schedule.entity.js';
import { FeeSchedulesController } from './fees/fee-schedules.controller.js';
import { FeeScheduleController } from './fees/fee-schedule.controller.js';
import { FeeSchedules } from './fees/fee-schedules.service.js';
import { FeeTiers } from './fees/fee-tiers.service.js';
import { EventGroupEntity } from './event-groups/event-group.entity.js';
import { AdminEventGroupsController } from './event-groups/admin-event-groups.controller.js';
import {
  EventGroupSettlements,
  GROUP_SETTLEMENT,
  GROUP_SETTLEMENT_CORRECTION,
} from './event-groups/event-group-settlements.service.js';
import { EventGroupsController } from './event-groups/event-groups.controller.js';
import { EventGroupsService } from './event-groups/event-groups.service.js';
import { SetLegEntity } from './event-groups/set-leg.entity.js';
import { FillEntity } from './fills/fill.entity.js';
import { FillProjection } from './fills/fill-projection.js';
import { MarketDayService } from './market-days/market-day.service.js';
import { PositionHistoryService } from './fills/position-history.service.js';
import { RealizedBefore } from './fills/realized-before.js';
import { AccountChangeEntity } from './account-stream/account-change.entity.js';
import { AccountFeed } from './account-stream/account-feed.js';
import { AccountReader } from './account-stream/account-reader.js';
import { AccountsStreamController } from './account-stream/accounts-stream.controller.js';
import { AccountGateway } from './account-stream/account.gateway.js';
import { AssetChains, CurrencyRails, NoChains, NoRails } from './assets/asset-ways.js';
import { AssetsController } from './assets/assets.controller.js';
import { AssetsService } from './assets/assets.service.js';
import { TimeController } from './assets/time.controller.js';
import { CancelSwitchEntity } from './cancel-switches/cancel-switch.entity.js';
import { CancelSwitchHolderEntity } from './cancel-switches/cancel-switch-holder.entity.js';
import { CancelAfterController } from './cancel-switches/cancel-after.controller.js';
import { CancelSwitches } from './cancel-switches/cancel-switches.service.js';
import { SwitchHolders } from './cancel-switches/switch-holders.js';
import { CandleProjection } from './market-data/candle-projection.js';
import { CandleEntity } from './market-data/candle.entity.js';
import { MarketBookEntity } from './market-data/market-book.entity.js';
import { FIELDS_OF_MARKETS, MarketFields } from './market-data/market-fields.service.js';
import { MarketCatalogService } from './market-data/market-catalog.service.js';
import { MarketEntity } from './market-data/market.entity.js';
import { MarketsController } from './markets.controller.js';
import { MarketData } from './market-data/market-data.js';
import { MarketDataService } from './market-data/market-data.service.js';
import { MarketFollowers } from './market-data/market-followers.js';
import { TickerService } from './market-data/ticker.service.js';
import { TradeHistoryService } from './market-data/trade-history.service.js';
import { TradeEntity } from './market-data/trade.entity.js';
import { AccountMoney, ADJUSTMENT, DEPOSIT } from './operators/account-money.service.js';
import { AllOrders } from './operators/all-orders.service.js';
import { AdminOrdersController } from './operators/admin-orders.controller.js';
import { AdminTradesController } from './operators/admin-trades.controller.js';
import { AllTrades } from './operators/all-trades.service.js';
import { LedgerController } from './operators/ledger.controller.js';
import { LedgerOperationsService } from './operators/ledger-operations.service.js';
import { AdminMarketsController } from './operators/admin-markets.controller.js';
import { AdminAssetsController } from './operators/admin-assets.controller.js';
import { MarketOperationsService } from './operators/market-operations.service.js';
import { OrderEntryGateway } from './order-sockets/order-entry.gateway.js';
import { OrderPolicies } from './orders/order-policies.js';
import { OrderCancellationService } from './orders/order-cancellation.service.js';
import { OrderEntryService } from './orders/order-entry.service.js';
import { OrderFieldsEntity } from './orders/order-fields.entity.js';
import { FIELDS_OF_ORDERS, OrderFieldsService } from './orders/order-fields.service.js';
import { OrderFillsService } from './orders/order-fills.service.js';
import { OrderHistoryService } from './orders/order-history.service.js';
import { TrailingProgressService } from './orders/trailing-progress.service.js';
import { OrderEntity } from './orders/order.entity.js';
import { OrdersController } from './orders/orders.controller.js';
import { QuotesMassController } from './mass-quotes/quotes-mass.controller.js';
import { MassQuotesService } from './mass-quotes/mass-quotes.service.js';
import { OrderListsController } from './order-lists/order-lists.controller.js';
import { OrderListsService } from './order-lists/order-lists.service.js';
import {
  SETTLEMENT,
  SETTLEMENT_CORRECTION,
  SettlementApprovals,
} from './settlements/settlement-approvals.service.js';
import { SettlementEntity } from './settlements/settlement.entity.js';
import { AdminMarketsSettlementController } from './settlements/admin-markets-settlement.controller.js';
import { SettlementsService } from './settlements/settlements.service.js';
import { MarketFeed } from './streams/market-feed.js';
import { MarketsStreamController } from './streams/markets-stream.controller.js';
import { MarketsGateway } from './streams/markets.gateway.js';
import { OrderAnnouncer } from './webhook-events/order-announcer.js';
import { ORDER_EVENT_TYPES } from './webhook-events/order-events.js';
import { CheckedTables } from './derived-tables.js';
import { MarketsPersonalData } from './markets-personal-data.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { port, severalOf } from '../../kit/module/extension-point.js';
import { FeePolicy } from './policies/fee-policy.js';
import { OrderOwners } from './policies/order-owners.js';
import { NoCountries, OwnerCountries } from './policies/owner-countries.js';
import { RiskCheck } from './policies/risk-check.js';
import { ENTRY_IDS, FILL_IDS, ORDER_IDS, ORDER_LIST_IDS, TRADE_IDS } from './names/ids.js';
import { MARKETS_TRADE } from './names/scopes.js';
import { MarketsBaseline1780000000600 } from './migrations/1780000000600-baseline.js';
import { EntriesController } from './holdings/entries.controller.js';
import { AccountsDepositsController } from './operators/accounts-deposits.controller.js';
import { BalancesController } from './holdings/balances.controller.js';
import { PositionsController } from './holdings/positions.controller.js';
import { AccountsAdjustmentsController } from './operators/accounts-adjustments.controller.js';

/** The Markets group: markets and their data, orders, what is in accounts, and what operators do to them. */
@TradepostModule({
  name: 'markets',
  errorCodes: Object.values(ERROR_CODES),
  scopes: [MARKETS_TRADE],
  idPrefixes: [ORDER_IDS, ORDER_LIST_IDS, TRADE_IDS, FILL_IDS, ENTRY_IDS],
  extensionPoints: [
    severalOf(FeePolicy, 'feePolicies'),
    severalOf(RiskCheck, 'checks'),
    port(OwnerCountries, NoCountries),
    port(MarketData),
    port(AssetChains, NoChains),
    port(CurrencyRails, NoRails),
  ],
  implementations: [MarketDataService, RealizedBefore],
  webhookEvents: [...ORDER_EVENT_TYPES],
  approvals: [
    DEPOSIT.carriedOutBy(AccountMoney, ({ depositing }) => depositing),
    ADJUSTMENT.carriedOutBy(AccountMoney, ({ adjusting }) => adjusting),
    SETTLEMENT.carriedOutBy(SettlementApprovals, ({ kind }) => kind),
    SETTLEMENT_CORRECTION.carriedOutBy(SettlementApprovals, ({ kind }) => kind),
    GROUP_SETTLEMENT.carriedOutBy(EventGroupSettlements, ({ settling }) => settling),
    GROUP_SETTLEMENT_CORRECTION.carriedOutBy(EventGroupSettlements, ({ correcting }) => correcting),
  ],
  purges: [OLD_VOLUMES],
  fieldedTables: [FIELDS_OF_ORDERS, FIELDS_OF_MARKETS],
  personalData: [MarketsPersonalData],
  duties: [OrderAnnouncer],
  entities: [
    MarketEntity,
    MarketBookEntity,
    OrderEntity,
    OrderFieldsEntity,
    TradeEntity,
    CandleEntity,
    FillEntity,
    BalanceEntity,
    PositionEntity,
    TransferEntity,
    SettlementEntity,
    EventGroupEntity,
    SetLegEntity,
    AccountChangeEntity,
    CancelSwitchEntity,
    CancelSwitchHolderEntity,
    FeeScheduleEntity,
    AccountFeeScheduleEntity,
  ],
  migrations: [MarketsBaseline1780000000600],
  imports: [UsersModule, AuthModule, LimitsModule],
  controllers: [
    TimeController,
    AssetsController,
    MarketsController,
    // Before the orders, none of which has the id cancel-after.
    CancelAfterController,
    OrdersController,
    OrderListsController,
    QuotesMassController,
    PositionsController,
    BalancesController,
    EntriesController,
    StatementsController,
    AdminMarketsController,
    AdminAssetsController,
    AccountsDepositsController,
    AccountsAdjustmentsController,
    FeeSchedulesController,
    FeeScheduleController,
    AdminOrdersController,
    AdminTradesController,
    LedgerController,
    AdminMarketsSettlementController,
    EventGroupsController,
    AdminEventGroupsController,
    MarketsStreamController,
    AccountsStreamController,
  ],
  providers: [
    EventGroupsService,
    EventGroupSettlements,
    AssetsService,
    MarketCatalogService,
    MarketFields,
    TickerService,
    MarketFollowers,
    CandleProjection,
    TradeHistoryService,
    FeeSchedules,
    FeeTiers,
    AccountVolumes,
    OrderOwners,
    OrderPolicies,
    OrderCancellationService,
    OrderEntryService,
    OrderHistoryService,
    OrderFieldsService,
    TrailingProgressService,
    OrderFillsService,
    HoldingsService,
    StatementsService,
    CombinedStatements,
    PositionsService,
    FillProjection,
    MarketDayService,
    PositionHistoryService,
    CheckedTables,
    BalanceHistory,
    MarketOperationsService,
    OrderListsService,
    MassQuotesService,
    AllOrders,
    AllTrades,
    AccountMoney,
    LedgerOperationsService,
    SettlementsService,
    SettlementApprovals,
    MarketFeed,
    MarketsGateway,
    AccountReader,
    AccountFeed,
    AccountGateway,
    CancelSwitches,
    SwitchHolders,
    OrderEntryGateway,
  ],
  exports: [
    AccountFeed,
    HoldingsService,
    FeeTiers,
    MarketCatalogService,
    OrderCancellationService,
    OrderListsService,
    OrderEntryService,
    OrderFillsService,
    OrderHistoryService,
    OrderPolicies,
    PositionHistoryService,
    TradeHistoryService,
  ],
})
export class MarketsModule {}
