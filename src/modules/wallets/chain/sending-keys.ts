import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AddressEntity } from '../keys/address.entity.js';
import { WalletKeys } from '../keys/wallet-keys.js';
import { HotWallets } from './hot-wallets.js';

/** A sender: the hot wallet of a chain, or an address of a customer's wallet during a sweep. */
export interface Sender {
  readonly chain: string;
  readonly address: string;
  /** Null for the hot wallet. */
  readonly addressId: string | null;
}

/** The private keys that the service itself sends with. */
@Injectable()
export class SendingKeys {
  constructor(
    private readonly hotWallets: HotWallets,
    private readonly walletKeys: WalletKeys,
    @InjectRepository(AddressEntity) private readonly addresses: Repository<AddressEntity>,
  ) {}

  /** Lends the sender's private key to `work`, and wipes it. */
  async withKey<T>(sender: Sender, work: (privateKey: Uint8Array) => Promise<T>): Promise<T> {
    if (sender.addressId === null) return this.hotWallets.withKey(sender.chain, work);
    const address = await this.addresses.findOneByOrFail({ addressId: sender.addressId });
    return this.walletKeys.withKey(address, ({ privateKey }) => work(privateKey));
  }
}
