import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { entropyToMnemonic, mnemonicToSeedWebcrypto } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { Repository, type EntityManager } from 'typeorm';
import { UnreadableSecret } from '../../../kit/vault/key-vault.js';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';
import { WalletEntity } from '../access/wallet.entity.js';
import type { AddressEntity } from './address.entity.js';
import { schemeOf } from './chain-scheme.js';
import type { KeyPair } from './key-pair.js';

/** 24 words. */
const ENTROPY_BYTES = 32;
const SEED_BYTES = 64;

/**
 * The seeds of wallets and the keys derived from them: the only place where they are in the clear, for the duration of
 * one operation. The sealed value is the BIP-39 seed, followed by the entropy of its 24 words, so that a wallet can be
 * exported. Rejects as `SecretBox` does.
 */
@Injectable()
export class WalletKeys {
  constructor(
    private readonly box: SecretBox,
    @InjectRepository(WalletEntity) private readonly wallets: Repository<WalletEntity>,
  ) {}

  /** Makes a seed and seals it for a wallet whose row is about to be inserted in this transaction. */
  async sealNewSeed(walletId: string, manager: EntityManager): Promise<Buffer> {
    const entropy = randomBytes(ENTROPY_BYTES);
    const secret = Buffer.concat([await seedOf(entropy), entropy]);
    try {
      return await this.box.seal(secret, placeOf(walletId), manager);
    } finally {
      entropy.fill(0);
      secret.fill(0);
    }
  }

  /** Does a piece of work with a wallet's BIP-39 seed, which is wiped afterwards. */
  async withSeed<T>(walletId: string, work: (seed: Uint8Array) => T | Promise<T>): Promise<T> {
    const wallet = await this.wallets.findOne({ where: { walletId }, select: { sealedSeed: true } });
    if (wallet === null) throw new Error(`wallet ${walletId} is not there`);
    const secret = await this.box.open(wallet.sealedSeed, placeOf(walletId));
    try {
      return await work(secret.subarray(0, SEED_BYTES));
    } finally {
      secret.fill(0);
    }
  }

  /**
   * Does a piece of work with the key pair of an address, which is wiped afterwards.
   * Rejects with an UnreadableSecret where the address is not the one that the seed gives at its path.
   */
  withKey<T>(address: AddressEntity, work: (key: KeyPair) => T | Promise<T>): Promise<T> {
    return this.withSeed(address.walletId, async (seed) => {
      const scheme = schemeOf(address.chain, address.network);
      const key = scheme.derive(seed, address.derivationPath);
      try {
        if (scheme.addressOf(key.publicKey) !== address.address) {
          throw new UnreadableSecret(`wallet_addresses ${address.addressId}`);
        }
        return await work(key);
      } finally {
        key.privateKey.fill(0);
      }
    });
  }
}

/** The BIP-39 seed of entropy, without a passphrase. The words themselves are a string, which cannot be wiped. */
export function seedOf(entropy: Uint8Array): Promise<Uint8Array> {
  return mnemonicToSeedWebcrypto(entropyToMnemonic(entropy, wordlist));
}

function placeOf(walletId: string): SecretPlace {
  return { table: 'wallets', row: walletId, column: 'sealed_seed' };
}
