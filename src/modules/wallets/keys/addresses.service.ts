import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository, type EntityManager } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { formatAmount } from '../../../domain/money/amount.js';
import { ChainConnectors } from '../chains/chain-connectors.js';
import { Settings } from '../../../kit/config/settings.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { CHAIN_NOT_CONNECTED, CHAIN_UNAVAILABLE } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, pageOf, type Page } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { WalletAccessService } from '../access/wallet-access.service.js';
import {
  toAddressDto,
  type AddressDto,
  type CreateAddressDto,
  type CreatedAddressDto,
  type ListAddressesQueryDto,
} from './address.dto.js';
import { AddressEntity } from './address.entity.js';
import { schemeOf } from './chain-scheme.js';
import type { Chain } from './chain.js';
import { WalletKeys } from './wallet-keys.js';
import { WALLET_SETTINGS } from '../wallet-settings.js';

/** Of one chain, in one wallet. */
const ADDRESSES_PER_CHAIN_MAX = 100_000;

interface UsedIndexes {
  /** Null before the first address. */
  readonly last: number | null;
  /** The last one that received money; null before. */
  readonly funded: number | null;
}

/** The addresses of wallets. Every method throws `not_found` (404) for a wallet that is not the caller's. */
@Injectable()
export class AddressesService {
  constructor(
    private readonly access: WalletAccessService,
    private readonly keys: WalletKeys,
    private readonly transaction: AnswerTransaction,
    private readonly connectors: ChainConnectors,
    private readonly core: CoreService,
    private readonly settings: Settings,
    @InjectRepository(AddressEntity) private readonly addresses: Repository<AddressEntity>,
  ) {}

  /**
   * Makes the next address of a chain. Many at once are made one after the other, each with an index of its
   * own. Throws `chain_not_connected` (409) and `chain_unavailable` (503) for a deposit address whose deposits nobody
   * would see, and `conflict` (409) at the limit.
   */
  async create(
    principal: Principal,
    walletId: string,
    { chain, purpose = 'deposit', label }: CreateAddressDto,
  ): Promise<CreatedAddressDto> {
    const wallet = await this.access.walletOf(principal, walletId);
    if (purpose === 'deposit') await this.requireWatched(chain);
    return this.keys.withSeed(wallet.walletId, (seed) =>
      this.transaction.run(async (manager) => {
        const used = await this.lockIndexes(manager, wallet.walletId, chain);
        const derivationIndex = (used.last ?? -1) + 1;
        if (derivationIndex >= ADDRESSES_PER_CHAIN_MAX) {
          throw new ApiError(
            CONFLICT,
            `The wallet has ${ADDRESSES_PER_CHAIN_MAX} addresses of ${chain}, which is the most: use another wallet.`,
          );
        }
        const address = await manager.save(
          manager.create(AddressEntity, {
            walletId: wallet.walletId,
            chain,
            purpose,
            derivationIndex,
            label: label ?? null,
            fundedAt: null,
            signedAt: null,
            ...this.deriveAddress(seed, chain, derivationIndex),
          }),
        );
        return { ...this.toDto(address), gap: derivationIndex - (used.funded ?? -1) };
      }),
    );
  }

  /** Newest first. Throws `invalid_cursor` (400). */
  async list(
    principal: Principal,
    walletId: string,
    { limit, cursor, chain }: ListAddressesQueryDto,
  ): Promise<Page<AddressDto>> {
    const wallet = await this.access.walletOf(principal, walletId);
    const before = decodeCursor(cursor, ['integer'])?.[0];
    const rows = await this.addresses.find({
      where: {
        walletId: wallet.walletId,
        ...(chain != null && { chain }),
        ...(before !== undefined && { addressId: LessThan(String(before)) }),
      },
      order: { addressId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(
      rows,
      limit,
      (address) => [Number(address.addressId)],
      (address) => this.toDto(address),
    );
  }

  /** Deposits are seen from the first contact with the chain on, so no address is given before. */
  private async requireWatched(chain: Chain): Promise<void> {
    if (this.connectors.connectorOf(chain) === undefined) {
      throw new ApiError(
        CHAIN_NOT_CONNECTED,
        `The service is not connected to ${chain}: what is sent there would never be credited. For a key that only signs, send "purpose": "signing".`,
      );
    }
    const watched = await this.addresses.query<unknown[]>('SELECT FROM chains WHERE chain = $1', [chain]);
    if (watched.length > 0) return;
    throw new ApiError(
      CHAIN_UNAVAILABLE,
      `The node of ${chain} has not answered yet, so deposits would not be seen. Try again later.`,
      { headers: { 'Retry-After': '60' } },
    );
  }

  private toDto(address: AddressEntity): AddressDto {
    const minimums = this.connectors
      .connectorOf(address.chain)
      ?.assets.filter(({ code }) => this.core.asset(code) !== undefined)
      .map(({ code, depositMinimum }) => ({ asset: code, minimum: formatAmount(depositMinimum) }));
    return toAddressDto(address, minimums);
  }

  /** Adding an address locks the wallet first, so that the next index stays unique. */
  private async lockIndexes(manager: EntityManager, walletId: string, chain: Chain): Promise<UsedIndexes> {
    await manager.query('SELECT FROM wallets WHERE wallet_id = $1 FOR NO KEY UPDATE', [walletId]);
    const [used] = await manager.query<[UsedIndexes]>(
      `SELECT max(derivation_index) AS last, max(derivation_index) FILTER (WHERE funded_at IS NOT NULL) AS funded
       FROM wallet_addresses WHERE wallet_id = $1 AND chain = $2`,
      [walletId, chain],
    );
    return used;
  }

  private deriveAddress(
    seed: Uint8Array,
    chain: Chain,
    index: number,
  ): Pick<AddressEntity, 'network' | 'derivationPath' | 'address' | 'publicKey'> {
    const network = chain === 'bitcoin' ? this.settings.get(WALLET_SETTINGS).bitcoinNetwork : 'mainnet';
    const scheme = schemeOf(chain, network);
    const derivationPath = scheme.pathOf(index);
    const { privateKey, publicKey } = scheme.derive(seed, derivationPath);
    privateKey.fill(0);
    return {
      network,
      derivationPath,
      address: scheme.addressOf(publicKey),
      publicKey: scheme.formatPublicKey(publicKey),
    };
  }
}
