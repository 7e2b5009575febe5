import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, LessThan, Repository } from 'typeorm';
import { Settings } from '../../../kit/config/settings.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { CONFLICT, UNPROCESSABLE, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { HOLDER_NAME_MISMATCH } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { PayoutRail, type Payee, type RailTerms } from '../bank-rails/payout-rail.js';
import type { Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { Fingerprints } from '../fingerprints.js';
import { KycStanding } from '../kyc/kyc-standing.js';
import { identityOf, last4Of, payeeAccountOf } from './bank-account-check.js';
import { checkHolderName } from './holder-name.js';
import {
  type CreatePayoutAccountDto,
  type PayoutAccountDto,
  toPayoutAccountDto,
} from './payout-account.dto.js';
import { PayoutAccountEntity } from './payout-account.entity.js';
import { PAYOUT_ACCOUNT_IDS } from '../ids.js';
import { PAYOUT_SETTINGS } from '../bank-rails/payout-settings.js';

const ACTIVE_MAX = 100;

/** Owners' bank accounts. Names and numbers are encrypted; the rest identifies nobody. */
@Injectable()
export class PayoutAccountsService {
  constructor(
    @InjectRepository(PayoutAccountEntity) private readonly accounts: Repository<PayoutAccountEntity>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly answerTransaction: AnswerTransaction,
    private readonly box: SecretBox,
    private readonly fingerprints: Fingerprints,
    private readonly standing: KycStanding,
    private readonly rail: PayoutRail,
    private readonly settings: Settings,
  ) {}

  /**
   * Throws `step_up_required` (403), `validation_failed` (400), `holder_name_mismatch` (422) where the house refuses other holders,
   * `conflict` (409) for an account that is there already, `unprocessable` (422) for too many.
   */
  async create(principal: Principal, body: CreatePayoutAccountDto): Promise<PayoutAccountDto> {
    requireStepUp(principal);
    const { accountOwner: owner } = principal;
    const account = payeeAccountOf(body);
    const { currency, name: rail } = this.railFor(body);
    const payee: Payee = { holderName: body.holder_name.normalize('NFC').trim(), account };
    this.requireWritable(rail, payee);
    const { holderName: knownName } = await this.standing.standingOf(owner);
    const check = checkHolderName(payee.holderName, knownName);
    if (check === 'mismatch') this.refuseOtherHolder();
    const fingerprint = await this.fingerprints.of('payout_account', identityOf(account));

    return this.answerTransaction.run(async (manager) => {
      await requireRoom(manager, owner);
      const payoutAccountId = await nextId(manager);
      const sealedPayee = await this.box.seal(
        Buffer.from(JSON.stringify(payee), 'utf8'),
        placeOf(payoutAccountId),
        manager,
      );
      const inserted = await manager
        .createQueryBuilder()
        .insert()
        .into(PayoutAccountEntity)
        .values({
          payoutAccountId,
          owner,
          type: account.type,
          currency,
          last4: last4Of(account),
          bic: account.type === 'iban' ? account.bic : null,
          fingerprint,
          sealedPayee,
        })
        .orIgnore()
        .returning('payout_account_id')
        .execute();
      if ((inserted.raw as unknown[]).length === 0) {
        throw new ApiError(CONFLICT, 'You have this payout account already. See GET /payout-accounts.');
      }
      await notifyUser(manager, owner, 'payout_account_added', {
        account: { currency, last4: last4Of(account) },
      });
      const created = await manager.findOneByOrFail(PayoutAccountEntity, { payoutAccountId });
      return toPayoutAccountDto(created, payee.holderName, check);
    });
  }

  /** Newest first, without deleted ones. */
  async list(principal: Principal, query: PageQueryDto): Promise<Page<PayoutAccountDto>> {
    const before = decodeCursor(query.cursor, ['integer']);
    const { accountOwner: owner } = principal;
    const rows = await this.accounts.find({
      where: {
        owner,
        status: 'active',
        ...(before && { payoutAccountId: LessThan(String(before[0])) }),
      },
      order: { payoutAccountId: 'DESC' },
      take: query.limit + 1,
    });
    const page = pageOf(
      rows,
      query.limit,
      ({ payoutAccountId }) => [Number(payoutAccountId)],
      (row) => row,
    );
    const { holderName } = await this.standing.standingOf(owner);
    const data = await Promise.all(page.data.map((account) => this.show(account, holderName)));
    return { data, next_cursor: page.next_cursor };
  }

  /** Throws `not_found` (404). A deleted account is still shown. */
  async get(principal: Principal, text: string): Promise<PayoutAccountDto> {
    const account = await this.find(this.accounts.manager, principal, text);
    const { holderName } = await this.standing.standingOf(principal.accountOwner);
    return this.show(account, holderName);
  }

  /** Throws `not_found` (404), and `conflict` (409) while payouts to it wait for their file. */
  async remove(principal: Principal, text: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const account = await this.findUsable(manager, principal, text, 'pessimistic_write');
      const { payoutAccountId } = account;
      const waiting = await manager.query<unknown[]>(
        `SELECT FROM payouts WHERE payout_account_id = $1::bigint AND status IN ('pending_approval', 'pending') LIMIT 1`,
        [payoutAccountId],
      );
      if (waiting.length > 0) {
        throw new ApiError(
          CONFLICT,
          'Payouts to this account are waiting. Cancel them, or wait until they are on their way.',
        );
      }
      await manager.update(
        PayoutAccountEntity,
        { payoutAccountId },
        { status: 'deleted', deletedAt: new Date() },
      );
    });
  }

  /**
   * The principal's account that takes payouts; with a mode, locked until the caller's transaction ends.
   * Throws `not_found` (404).
   */
  async findUsable(
    manager: EntityManager,
    principal: Principal,
    text: string,
    mode?: 'pessimistic_read' | 'pessimistic_write',
  ): Promise<PayoutAccountEntity> {
    const account = await this.find(manager, principal, text, mode);
    if (account.status === 'deleted') throw payoutAccountNotFound();
    return account;
  }

  /** Where payouts to the account go, as its owner wrote it. */
  async payeeOf(account: PayoutAccountEntity, manager?: EntityManager): Promise<Payee> {
    const opened = await this.box.open(account.sealedPayee, placeOf(account.payoutAccountId), manager);
    try {
      return JSON.parse(opened.toString('utf8')) as Payee;
    } finally {
      opened.fill(0);
    }
  }

  /** Throws `holder_name_mismatch` (422) where the house pays to the person alone that KYC knows. */
  refuseOtherHolder(): void {
    if (this.settings.get(PAYOUT_SETTINGS).holderNameCheck !== 'refuse') return;
    throw new ApiError(
      HOLDER_NAME_MISMATCH,
      'The account must be held by the person of your approved KYC record. Use an account in that name.',
    );
  }

  private async show(account: PayoutAccountEntity, knownName: string | null): Promise<PayoutAccountDto> {
    const { holderName } = await this.payeeOf(account);
    return toPayoutAccountDto(account, holderName, checkHolderName(holderName, knownName));
  }

  private async find(
    manager: EntityManager,
    principal: Principal,
    text: string,
    mode?: 'pessimistic_read' | 'pessimistic_write',
  ): Promise<PayoutAccountEntity> {
    const payoutAccountId = PAYOUT_ACCOUNT_IDS.parse(text);
    if (payoutAccountId === undefined) throw payoutAccountNotFound();
    const account = await manager.findOne(PayoutAccountEntity, {
      where: { payoutAccountId: String(payoutAccountId) },
      ...(mode !== undefined && { lock: { mode } }),
    });
    if (account?.owner !== principal.accountOwner) throw payoutAccountNotFound();
    return account;
  }

  private railFor({ type, currency }: CreatePayoutAccountDto): RailTerms {
    const rails = this.rail.rails().filter(({ accountType }) => accountType === type);
    const terms = rails.find((rail) => rail.currency === currency);
    if (terms !== undefined) return terms;
    const currencies = rails.map((rail) => rail.currency).join(', ');
    throw ApiError.validation([
      { field: 'currency', message: `currency must be ${currencies} with type ${type}` },
    ]);
  }

  /** Only the name: whether a country is reached is a matter of payouts. */
  private requireWritable(rail: string, payee: Payee): void {
    const refusal = this.rail.refusalOfName(rail, payee.holderName);
    if (refusal !== undefined) throw ApiError.validation([{ field: 'holder_name', message: refusal }]);
  }
}

/** Takes turns with others of the same owner, so that many at once are counted too. */
async function requireRoom(manager: EntityManager, owner: string): Promise<void> {
  await lockUntilCommit(manager, `payout_accounts:${owner}`);
  const count = await manager.countBy(PayoutAccountEntity, { owner, status: 'active' });
  if (count >= ACTIVE_MAX) {
    throw new ApiError(UNPROCESSABLE, `You have ${ACTIVE_MAX} payout accounts. Delete one first.`);
  }
}

async function nextId(manager: EntityManager): Promise<string> {
  const [row] = await manager.query<[{ id: string }]>(
    `SELECT nextval(pg_get_serial_sequence('payout_accounts', 'payout_account_id')) AS id`,
  );
  return row.id;
}

function placeOf(payoutAccountId: string): SecretPlace {
  return { table: 'payout_accounts', row: payoutAccountId, column: 'sealed_payee' };
}

function payoutAccountNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such payout account of yours. See GET /payout-accounts.');
}
