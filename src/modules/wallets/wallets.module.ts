import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AddressEntity } from './keys/address.entity.js';
import { AddressesController } from './keys/addresses.controller.js';
import { AddressesService } from './keys/addresses.service.js';
import { WalletKeys } from './keys/wallet-keys.js';
import { SignatureEntity } from './signing/signature.entity.js';
import { SignaturesController } from './signing/signatures.controller.js';
import { SignaturesService } from './signing/signatures.service.js';
import { NoDeposits, UnsweptFunds } from './signing/unswept-funds.js';
import { WalletAccessService } from './wallets/wallet-access.service.js';
import { WalletBalances } from './wallets/wallet-balances.js';
import { WalletEntity } from './wallets/wallet.entity.js';
import { WalletsController } from './wallets/wallets.controller.js';
import { WalletsService } from './wallets/wallets.service.js';

/** The Wallets group: custody wallets, their addresses, signatures and transfers. */
@Module({
  imports: [TypeOrmModule.forFeature([WalletEntity, AddressEntity, SignatureEntity])],
  controllers: [WalletsController, AddressesController, SignaturesController],
  providers: [
    WalletAccessService,
    WalletBalances,
    WalletKeys,
    WalletsService,
    AddressesService,
    SignaturesService,
    { provide: UnsweptFunds, useClass: NoDeposits },
  ],
  exports: [WalletAccessService],
})
export class WalletsModule {}
