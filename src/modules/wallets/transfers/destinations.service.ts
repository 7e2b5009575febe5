import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, Repository } from 'typeorm';
import { Settings } from '../../../kit/config/settings.js';
import { LIMIT_EXCEEDED, CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { abridged } from '../../users/notices/notice.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { ChainRules, lockOwner } from './chain-rules.service.js';
import {
  type ListDestinationDto,
  toWalletDestinationDto,
  type WalletDestinationDto,
} from './destination.dto.js';
import { TransferParties } from './transfer-parties.service.js';
import { WalletDestinationEntity } from './wallet-destination.entity.js';
import { DESTINATION_IDS } from '../ids.js';
import { WALLET_SETTINGS } from '../wallet-settings.js';

const DESTINATIONS_PER_OWNER_MAX = 1_000;

/**
 * The allowed destinations of an owner's wallets on chains. An empty list that never had an entry allows all; after the
 * first entry only listed ones are allowed, even if the last one was removed. The list belongs to the owner, so another
 * wallet is no way around it.
 */
@Injectable()
export class DestinationsService {
  constructor(
    private readonly parties: TransferParties,
    private readonly rules: ChainRules,
    private readonly answers: AnswerTransaction,
    @InjectRepository(WalletDestinationEntity)
    private readonly destinations: Repository<WalletDestinationEntity>,
    private readonly settings: Settings,
  ) {}

  /** Newest first. Throws `not_found`, `invalid_cursor`. */
  async list(
    principal: Principal,
    wallet: string,
    { limit, cursor }: PageQueryDto,
  ): Promise<Page<WalletDestinationDto>> {
    const { owner } = await this.parties.ownWallet(principal, wallet);
    const before = decodeCursor(cursor, ['integer']);
    const rows = await this.destinations.find({
      where: {
        owner,
        removedAt: IsNull(),
        ...(before === undefined ? {} : { destinationId: LessThan(String(before[0])) }),
      },
      order: { destinationId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, ({ destinationId }) => [Number(destinationId)], toWalletDestinationDto);
  }

  /**
   * Throws `not_found`, `step_up_required` (403), `chain_unavailable` (503), `invalid_address`, `destination_not_allowed` (422), `conflict` (409) where the
   * address is listed already, and `limit_exceeded` (422) where the list is full.
   */
  async add(principal: Principal, wallet: string, body: ListDestinationDto): Promise<WalletDestinationDto> {
    const { walletId, owner } = await this.parties.ownWallet(principal, wallet);
    requireStepUp(principal);
    const address = await this.rules.addressOf(body.chain, body.address);
    return this.answers.run(async (manager) => {
      await lockOwner(manager, owner);
      const listed = { owner, removedAt: IsNull() };
      if ((await manager.countBy(WalletDestinationEntity, listed)) >= DESTINATIONS_PER_OWNER_MAX) {
        throw new ApiError(
          LIMIT_EXCEEDED,
          `You have ${DESTINATIONS_PER_OWNER_MAX} destinations, which is the most. Remove some first.`,
        );
      }
      if (await manager.existsBy(WalletDestinationEntity, { ...listed, chain: body.chain, address })) {
        throw new ApiError(CONFLICT, 'The address is listed already. To wait anew, remove it first.');
      }
      const [made] = await manager.query<[{ destination_id: string }]>(
        `INSERT INTO wallet_destinations (wallet_id, owner, chain, address, label, effective_at)
         VALUES ($1::bigint, $2, $3, $4, $5, now() + $6::bigint * interval '1 millisecond')
         RETURNING destination_id`,
        [
          walletId,
          owner,
          body.chain,
          address,
          body.label,
          this.settings.get(WALLET_SETTINGS).destinationWaitMs,
        ],
      );
      const { destination_id: destinationId } = made;
      await notifyUser(manager, owner, 'destination_added', {
        chain: body.chain,
        destination: abridged(address),
      });
      return toWalletDestinationDto(
        await manager.findOneByOrFail(WalletDestinationEntity, { destinationId }),
      );
    });
  }

  /** Money can no longer be sent there. Throws `not_found`. */
  async remove(principal: Principal, wallet: string, id: string): Promise<void> {
    const { owner } = await this.parties.ownWallet(principal, wallet);
    const destinationId = DESTINATION_IDS.parse(id);
    const { affected } =
      destinationId === undefined
        ? { affected: 0 }
        : await this.destinations.update(
            { owner, destinationId: String(destinationId), removedAt: IsNull() },
            { removedAt: () => 'now()' },
          );
    if (affected === 0) throw new ApiError(NOT_FOUND, 'There is no such destination of yours.');
  }
}
