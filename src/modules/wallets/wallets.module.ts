import * as ERROR_CODES from './errors.js';
import { ChainCheck } from './chain/chain-check.js';
import { CHAIN_CONTROLLERS, CHAIN_PROVIDERS } from './chain/chain.providers.js';
import { AddressEntity } from './keys/address.entity.js';
import { AddressesController } from './keys/addresses.controller.js';
import { AddressesService } from './keys/addresses.service.js';
import { WalletKeys } from './keys/wallet-keys.js';
import { SignatureEntity } from './signing/signature.entity.js';
import { SignaturesController } from './signing/signatures.controller.js';
import { SignaturesService } from './signing/signatures.service.js';
import { ChainRules } from './transfers/chain-rules.service.js';
import { ChainTransfers } from './transfers/chain-transfers.service.js';
import { DestinationsController } from './transfers/destinations.controller.js';
import { DestinationsService } from './transfers/destinations.service.js';
import { DueCommands } from './transfers/due-commands.service.js';
import { TransferAnnouncer } from './transfers/transfer-announcer.js';
import { TransferApprovalsController } from './transfers/transfer-approvals.controller.js';
import { TransferApprovalsService } from './transfers/transfer-approvals.service.js';
import { TRANSFER_EVENTS } from './transfers/transfer-events.js';
import { TransferListService } from './transfers/transfer-list.service.js';
import { TransferMetrics } from './transfers/transfer-metrics.js';
import { TransferParties } from './transfers/transfer-parties.service.js';
import { WALLET_TRANSFER } from './transfers/transfer-proposal.js';
import { TransfersController } from './transfers/transfers.controller.js';
import { TransfersService } from './transfers/transfers.service.js';
import { WalletDestinationEntity } from './transfers/wallet-destination.entity.js';
import { WalletTransferStateEntity } from './transfers/wallet-transfer-state.entity.js';
import { WalletTransferEntity } from './transfers/wallet-transfer.entity.js';
import { WalletAccessService } from './access/wallet-access.service.js';
import { WalletBalances } from './wallets/wallet-balances.js';
import { WalletEntity } from './access/wallet.entity.js';
import { WalletsController } from './wallets/wallets.controller.js';
import { WalletsService } from './wallets/wallets.service.js';
import { LimitsModule } from '../limits/limits.module.js';
import { UsersModule } from '../users/users.module.js';
import { WalletsPersonalData } from './wallets-personal-data.js';
import { ChainsOfAssets } from './chains/chains-of-assets.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { extensionPoint } from '../../kit/module/extension-point.js';
import { AllowSigning, SigningPolicy } from './signing/signing-policy.js';
import { ChainConnectors, ConfiguredChains } from './chains/chain-connectors.js';
import { ADDRESS_IDS, DEPOSIT_IDS, DESTINATION_IDS, SIGNATURE_IDS, TRANSFER_IDS, WALLET_IDS } from './ids.js';
import { WALLETS_READ, WALLETS_SIGN, WALLETS_WRITE } from './scopes.js';
import { WALLET_SETTINGS } from './wallet-settings.js';
import { CHAIN_RPC_URLS, ETHEREUM_SETTINGS } from './chains/chain-settings.js';

/** The Wallets group: custody wallets, their addresses, signatures and transfers. */
@TradepostModule({
  name: 'wallets',
  errorCodes: Object.values(ERROR_CODES),
  settings: [WALLET_SETTINGS, CHAIN_RPC_URLS, ETHEREUM_SETTINGS],
  scopes: [WALLETS_READ, WALLETS_WRITE, WALLETS_SIGN],
  idPrefixes: [WALLET_IDS, TRANSFER_IDS, DESTINATION_IDS, ADDRESS_IDS, SIGNATURE_IDS, DEPOSIT_IDS],
  extensionPoints: [
    extensionPoint(SigningPolicy, AllowSigning),
    extensionPoint(ChainConnectors, ConfiguredChains),
  ],
  implementations: [ChainsOfAssets],
  webhookEvents: [...Object.values(TRANSFER_EVENTS)],
  approvals: [WALLET_TRANSFER.carriedOutBy(TransferApprovalsService, ({ kind }) => kind)],
  personalData: [WalletsPersonalData],
  duties: [TransferAnnouncer],
  entities: [
    WalletEntity,
    AddressEntity,
    SignatureEntity,
    WalletTransferEntity,
    WalletTransferStateEntity,
    WalletDestinationEntity,
  ],
  imports: [UsersModule, LimitsModule],
  controllers: [
    WalletsController,
    AddressesController,
    SignaturesController,
    TransfersController,
    TransferApprovalsController,
    DestinationsController,
    ...CHAIN_CONTROLLERS,
  ],
  providers: [
    WalletAccessService,
    WalletBalances,
    WalletKeys,
    WalletsService,
    AddressesService,
    SignaturesService,
    ChainTransfers,
    ChainRules,
    DueCommands,
    TransferParties,
    TransfersService,
    TransferListService,
    TransferMetrics,
    TransferApprovalsService,
    DestinationsService,
    ...CHAIN_PROVIDERS,
  ],
  exports: [ChainCheck, TransfersService, WalletAccessService],
})
export class WalletsModule {}
