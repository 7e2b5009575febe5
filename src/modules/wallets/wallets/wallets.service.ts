import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, LessThan, QueryFailedError, Repository } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { CoreService } from '../../../core/core.service.js';
import { idempotencyOf } from '../../accounts/commands/idempotency.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { requireUnbound } from '../../../kit/security/bound-keys.js';
import { WalletKeys } from '../keys/wallet-keys.js';
import { WalletAccessService } from '../access/wallet-access.service.js';
import { WalletBalances } from './wallet-balances.js';
import { toWalletDto, type CreateWalletDto, type WalletDto } from './wallet.dto.js';
import { WalletEntity } from '../access/wallet.entity.js';

/** Whoever needs more makes addresses instead. */
const WALLETS_PER_OWNER_MAX = 1_000;

const UNIQUE_VIOLATION = '23505';
const COMPLETED_AT_ONCE_MAX = 100;

type NewWallet = Pick<WalletEntity, 'accountId' | 'owner' | 'name'>;

/**
 * Custody wallets. Each has an account of the core, which is made first and is the intent: a wallet whose
 * making was cut short after it is completed by a repeat of the request, or by the next start.
 */
@Injectable()
export class WalletsService implements OnApplicationBootstrap {
  private readonly logger = new Logger('Wallets');

  constructor(
    private readonly core: CoreService,
    private readonly accounts: AccountAccessService,
    private readonly access: WalletAccessService,
    private readonly keys: WalletKeys,
    private readonly balances: WalletBalances,
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(WalletEntity) private readonly wallets: Repository<WalletEntity>,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const completed = await this.completeWallets();
    if (completed > 0) this.logger.log(`Completed wallets that were cut short: ${completed}`);
  }

  /**
   * Makes a wallet with a seed of its own. A repeat by `key` answers the wallet as it is now.
   * Throws `forbidden` (403) for a key that is bound to one account, `account_not_found` (404) for principals without
   * money, `conflict` (409) at the limit, and what
   * the core refuses.
   */
  async create(
    principal: Principal,
    body: CreateWalletDto,
    key: string | undefined,
  ): Promise<Replayable<WalletDto>> {
    requireUnbound(principal);
    this.accounts.ownAccountId(principal);
    const owner = principal.accountOwner;
    const idempotency = idempotencyOf(principal, key, '/wallets', body);
    if ((await this.wallets.countBy({ owner })) >= WALLETS_PER_OWNER_MAX) {
      throw new ApiError(CONFLICT, `You have ${WALLETS_PER_OWNER_MAX} wallets, which is the most.`);
    }
    const { outcomes, replayed } = await this.core.submit({
      commands: [{ type: 'create_account', kind: 'wallet', name: body.name, owner }],
      ...(idempotency && { idempotency }),
      actor: actorOf(principal),
    });
    const { accountId } = resultOf(outcomes[0], 'account');
    const wallet = await this.ensure({ accountId: String(accountId), owner, name: body.name });
    return { body: await this.toDto(wallet), replayed: replayed[0] ?? false };
  }

  /** Throws `not_found` (404) for a wallet that is not the caller's. */
  async get(principal: Principal, walletId: string): Promise<WalletDto> {
    return this.toDto(await this.access.walletOf(principal, walletId));
  }

  /** The caller's wallets, newest first. Throws `invalid_cursor` (400). */
  async list(principal: Principal, { limit, cursor }: PageQueryDto): Promise<Page<WalletDto>> {
    const before = decodeCursor(cursor, ['integer'])?.[0];
    if (principal.isBoundToAccount === true) return { data: [], next_cursor: null };
    const rows = await this.wallets.find({
      where: {
        owner: principal.accountOwner,
        ...(before !== undefined && { walletId: LessThan(String(before)) }),
      },
      order: { walletId: 'DESC' },
      take: limit + 1,
    });
    const balances = await this.balances.of(rows.map(({ accountId }) => accountId));
    return pageOf(
      rows,
      limit,
      (wallet) => [Number(wallet.walletId)],
      (wallet) => toWalletDto(wallet, balances.get(wallet.accountId) ?? []),
    );
  }

  /** Gives accounts of wallets that lack theirs a wallet; tells how many. */
  private async completeWallets(): Promise<number> {
    let completed = 0;
    for (;;) {
      const missing = await this.dataSource.query<NewWallet[]>(
        `SELECT account_id AS "accountId", owner, name FROM accounts
         WHERE kind = 'wallet' AND owner IS NOT NULL
           AND NOT EXISTS (SELECT FROM wallets WHERE wallets.account_id = accounts.account_id)
         ORDER BY account_id LIMIT ${COMPLETED_AT_ONCE_MAX}`,
      );
      if (missing.length === 0) return completed;
      for (const wallet of missing) await this.ensure(wallet);
      completed += missing.length;
    }
  }

  /** The wallet of an account, made where there is none; of several at once, one makes it. */
  private async ensure(wallet: NewWallet): Promise<WalletEntity> {
    const { accountId } = wallet;
    const known = await this.wallets.findOneBy({ accountId });
    if (known) return known;
    try {
      await this.insert(wallet);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    return this.wallets.findOneByOrFail({ accountId });
  }

  private async insert(wallet: NewWallet): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const [next] = await manager.query<[{ readonly wallet_id: string }]>(
        `SELECT nextval(pg_get_serial_sequence('wallets', 'wallet_id')) AS wallet_id`,
      );
      const walletId = next.wallet_id;
      const sealedSeed = await this.keys.sealNewSeed(walletId, manager);
      await manager.insert(WalletEntity, { ...wallet, walletId, sealedSeed });
    });
  }

  private async toDto(wallet: WalletEntity): Promise<WalletDto> {
    const balances = await this.balances.of([wallet.accountId]);
    return toWalletDto(wallet, balances.get(wallet.accountId) ?? []);
  }
}

function isUniqueViolation(error: unknown): boolean {
  return (
    error instanceof QueryFailedError && (error.driverError as { code?: string }).code === UNIQUE_VIOLATION
  );
}
