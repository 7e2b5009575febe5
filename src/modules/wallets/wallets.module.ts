import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AddressEntity } from './keys/address.entity.js';
import { NoDeposits, UnsweptFunds } from './signing/unswept-funds.js';
import { WalletAccessService } from './wallets/wallet-access.service.js';
import { WalletEntity } from './wallets/wallet.entity.js';

/** The Wallets group: custody wallets, their addresses, signatures and transfers. */
@Module({
  imports: [TypeOrmModule.forFeature([WalletEntity, AddressEntity])],
  providers: [WalletAccessService, { provide: UnsweptFunds, useClass: NoDeposits }],
  exports: [WalletAccessService],
})
export class WalletsModule {}
