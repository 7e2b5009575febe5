import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WalletAccessService } from './wallets/wallet-access.service.js';
import { WalletEntity } from './wallets/wallet.entity.js';

/** The Wallets group: custody wallets, their addresses, signatures and transfers. */
@Module({
  imports: [TypeOrmModule.forFeature([WalletEntity])],
  providers: [WalletAccessService],
  exports: [WalletAccessService],
})
export class WalletsModule {}
