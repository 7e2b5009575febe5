import { errorOf } from '../../accounts/commands/refusals.js';
import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, type FindOptionsWhere, Not, IsNull, Repository } from 'typeorm';
import { AccountAccessService, accountNotFound } from '../../accounts/access/account-access.service.js';
import { CoreService } from '../../../core/core.service.js';
import type { IdPrefix } from '../../../domain/ids.js';
import { type Amount, amountOf, ZERO } from '../../../domain/money/amount.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import { Settings } from '../../../kit/config/settings.js';
import { UNPROCESSABLE, IDEMPOTENCY_KEY_REUSED } from '../../../kit/http/error-codes.js';
import { KYC_REQUIRED } from '../../users/errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { fingerprintOf } from '../../../kit/http/idempotency/idempotency-key.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { type Page, pageOf } from '../../../kit/http/pagination.js';
import { periodOf } from '../../../kit/http/period.js';
import { decodeTimedCursor, selectTimed } from '../../../kit/http/timed-list.js';
import { PayoutRail } from '../bank-rails/payout-rail.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { KycStanding, type Standing } from '../kyc/kyc-standing.js';
import { checkHolderName } from '../payout-accounts/holder-name.js';
import { PayoutAccountsService } from '../payout-accounts/payout-accounts.service.js';
import { centsOf, requireCents, requireWithinLimits } from './payout-limits.js';
import { PayoutMoney } from './payout-money.service.js';
import { PAYOUT_ORDER, placeOfPayout } from './payout-order.js';
import { slotOfPayout } from './payout-proposal.js';
import { PayoutStateEntity } from './payout-state.entity.js';
import { payoutNotFound, PayoutSteps } from './payout-steps.service.js';
import {
  type CreatePayoutDto,
  type ListPayoutsQueryDto,
  type PayoutDto,
  type PayoutHistoryDto,
  toPayoutDto,
  toPayoutStateDto,
} from './payout.dto.js';
import { PayoutEntity } from './payout.entity.js';
import { PAYOUT_IDS, PAYOUT_ACCOUNT_IDS } from '../ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';
import { PAYOUT_SETTINGS } from '../bank-rails/payout-settings.js';

/** What a payout is checked for before it is written down. */
interface Plan {
  readonly accountId: number;
  readonly amount: Amount;
  readonly fee: Amount;
  readonly standing: Standing;
}

/** Payouts as their owners ask for them, follow them and take them back. */
@Injectable()
export class PayoutsService {
  constructor(
    @InjectRepository(PayoutEntity) private readonly payouts: Repository<PayoutEntity>,
    @InjectRepository(PayoutStateEntity) private readonly states: Repository<PayoutStateEntity>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly access: AccountAccessService,
    private readonly core: CoreService,
    private readonly accounts: PayoutAccountsService,
    private readonly standing: KycStanding,
    private readonly rail: PayoutRail,
    private readonly money: PayoutMoney,
    private readonly steps: PayoutSteps,
    private readonly approvals: Approvals,
    private readonly secondPerson: SecondPerson,
    private readonly settings: Settings,
  ) {}

  /**
   * Stores the payout and holds its money. Throws, the first that applies: `step_up_required` (403), `account_not_found` (404),
   * `validation_failed` (400), `not_found` (404) for the payout account, `kyc_required`, `amount_too_precise`,
   * `holder_name_mismatch`, `unprocessable` (422) for what its rail does not carry, `limit_exceeded`,
   * `insufficient_funds` (422), and `outcome_unknown` (503) if the core did not answer: then the sweep continues.
   */
  async create(
    principal: Principal,
    body: CreatePayoutDto,
    key: string | undefined,
  ): Promise<Replayable<PayoutDto>> {
    const requestHash = key === undefined ? null : hash('sha256', `${principal.key}\n${key}`, 'hex');
    const fingerprint = fingerprintOf('POST', '/payouts', body);
    const earlier = await this.findRequest(requestHash);
    if (earlier !== null) return this.replay(earlier, fingerprint);
    requireStepUp(principal);

    const plan = await this.plan(principal, body);
    const payout = await this.dataSource.transaction((manager) =>
      this.writeDown(manager, principal, body, plan, { requestHash, fingerprint }),
    );
    // Somebody has sent the same at the same time, and was first.
    if (payout === null) return this.replay((await this.findRequest(requestHash))!, fingerprint);
    return { body: await this.begin(payout), replayed: false };
  }

  /** Throws `not_found` (404). */
  async get(principal: Principal, text: string): Promise<PayoutDto> {
    return toPayoutDto(await this.find(principal, text));
  }

  /** Newest first. Throws `invalid_cursor`, `validation_failed` (400). */
  async list(principal: Principal, query: ListPayoutsQueryDto): Promise<Page<PayoutDto>> {
    const before = decodeTimedCursor(query.cursor);
    const where: FindOptionsWhere<PayoutEntity> = {
      owner: principal.accountOwner,
      acceptedAt: Not(IsNull()),
      ...(query.status !== undefined && { status: query.status }),
      ...idFilter('payoutAccountId', PAYOUT_ACCOUNT_IDS, query.payout_account_id),
      ...idFilter('accountId', ACCOUNT_IDS, query.account_id),
    };
    const selection = this.payouts.createQueryBuilder('p').where(where);
    const rows = await selectTimed(selection, PAYOUT_ORDER, periodOf(query), before)
      .limit(query.limit + 1)
      .getMany();
    return pageOf(rows, query.limit, placeOfPayout, toPayoutDto);
  }

  /** Throws `not_found` (404). */
  async history(principal: Principal, text: string): Promise<PayoutHistoryDto> {
    const { payoutId, owner } = await this.find(principal, text);
    const states = await this.states.find({ where: { payoutId }, order: { stateId: 'ASC' } });
    return { data: states.map((state) => toPayoutStateDto(state, owner)) };
  }

  /** Gives the money back. Throws `not_found` (404), and `invalid_status_change` (409) once a file has it. */
  async cancel(principal: Principal, text: string): Promise<PayoutDto> {
    const { payoutId } = await this.find(principal, text);
    return toPayoutDto(
      await this.steps.take(payoutId, async (payout, manager) => {
        const step = { to: 'cancelled', by: personOf(principal), code: 'cancelled_by_owner' } as const;
        await this.approvals.unfollow(manager, slotOfPayout(payout), step.by, step.code);
        return step;
      }),
    );
  }

  private async plan(principal: Principal, body: CreatePayoutDto): Promise<Plan> {
    const accountId = await this.access.accountIdOf(principal, body.account_id, 'manage');
    const account = await this.core.account(accountId);
    // A wallet has approvals and limits of its own, which a payout out of it would pass by.
    if (account?.kind !== 'trading') throw accountNotFound();
    const asset = this.core.asset(body.currency);
    const isPaid = this.rail.rails().some(({ currency }) => currency === body.currency);
    if (asset === undefined || !isPaid) {
      throw ApiError.validation([
        { field: 'currency', message: 'currency must be that of the payout account' },
      ]);
    }
    await this.accounts.findUsable(this.dataSource.manager, principal, body.payout_account_id);
    const standing = await this.standing.standingOf(principal.accountOwner);
    if (!standing.approved) throw kycRequired();
    const amount = amountOf(body.amount);
    requireCents(amount, body.currency, asset.scale);
    const fee = this.settings.get(PAYOUT_SETTINGS).fees.get(body.currency) ?? ZERO;
    return { accountId, amount, fee, standing };
  }

  private async writeDown(
    manager: EntityManager,
    principal: Principal,
    body: CreatePayoutDto,
    { accountId, amount, fee, standing }: Plan,
    request: Pick<PayoutEntity, 'requestHash' | 'fingerprint'>,
  ): Promise<PayoutEntity | null> {
    const { accountOwner: owner } = principal;
    const { currency } = body;
    const account = await this.accounts.findUsable(
      manager,
      principal,
      body.payout_account_id,
      'pessimistic_read',
    );
    const terms = this.rail
      .rails()
      .find((each) => each.accountType === account.type && each.currency === currency);
    if (terms === undefined || account.currency !== currency) {
      throw ApiError.validation([
        { field: 'currency', message: `currency must be ${account.currency} for this payout account` },
      ]);
    }
    const payee = await this.accounts.payeeOf(account, manager);
    const isHolderKnown = checkHolderName(payee.holderName, standing.holderName);
    if (isHolderKnown === 'mismatch') this.accounts.refuseOtherHolder();
    const reference = body.reference?.normalize('NFC').trim() ?? null;
    const refusal = this.rail.refusalOf(terms.name, { ...payee, reference, amountCents: centsOf(amount) });
    if (refusal !== undefined) throw new ApiError(UNPROCESSABLE, refusal);
    const paidOfDay = await requireWithinLimits(
      manager,
      { owner, currency, amount },
      this.standing.limitsOf(standing.level, currency),
    );

    const threshold = this.settings.get(PAYOUT_SETTINGS).approvalAbove.get(currency);
    const isMuch = threshold !== undefined && paidOfDay + amount > threshold;
    const isToOther =
      isHolderKnown !== 'match' && this.settings.get(PAYOUT_SETTINGS).holderNameCheck === 'approve';
    const isAfterReset = (await this.secondPerson.neededUntil(owner, manager)) !== undefined;
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(PayoutEntity)
      .values({
        owner,
        accountId: String(accountId),
        payoutAccountId: account.payoutAccountId,
        rail: terms.name,
        currency,
        requestedAmount: amount,
        amount,
        fee,
        reference,
        status: isMuch || isToOther || isAfterReset ? 'pending_approval' : 'pending',
        ...(isToOther && HOLDER_TO_APPROVE),
        dueCommand: 'hold',
        requestedBy: personOf(principal),
        ...request,
      })
      .orIgnore()
      .returning('payout_id')
      .execute();
    const [row] = inserted.raw as { payout_id: string }[];
    return row === undefined ? null : manager.findOneByOrFail(PayoutEntity, { payoutId: row.payout_id });
  }

  /** What the core refuses has never been: the refusal is the answer. */
  private async begin(payout: PayoutEntity): Promise<PayoutDto> {
    const verdict = await this.money.carryOutForCaller(payout);
    if (!verdict.accepted) throw errorOf(verdict.refusal);
    return toPayoutDto(verdict.row);
  }

  private async replay(earlier: PayoutEntity, fingerprint: string): Promise<Replayable<PayoutDto>> {
    if (earlier.fingerprint !== fingerprint) {
      throw new ApiError(
        IDEMPOTENCY_KEY_REUSED,
        'This Idempotency-Key was used with another body. Use a new key for a new request.',
      );
    }
    const body = earlier.acceptedAt === null ? await this.begin(earlier) : toPayoutDto(earlier);
    return { body, replayed: true };
  }

  private async findRequest(requestHash: string | null): Promise<PayoutEntity | null> {
    return requestHash === null ? null : this.payouts.findOneBy({ requestHash });
  }

  private async find(principal: Principal, text: string): Promise<PayoutEntity> {
    const payoutId = PAYOUT_IDS.parse(text);
    if (payoutId === undefined) throw payoutNotFound();
    const payout = await this.payouts.findOneBy({
      payoutId: String(payoutId),
      owner: principal.accountOwner,
      acceptedAt: Not(IsNull()),
    });
    if (payout === null) throw payoutNotFound();
    return payout;
  }
}

/** Why a payout waits, where it is not for its amount alone. */
const HOLDER_TO_APPROVE = {
  code: 'holder_name_mismatch',
  message: 'The holder of the account is not named as in the KYC record: an operator has to approve it.',
} as const;

export function kycRequired(): ApiError {
  return new ApiError(KYC_REQUIRED, 'Payouts need an approved KYC record. See POST /kyc.');
}

/** An unknown id matches no row. */
function idFilter(
  column: 'payoutAccountId' | 'accountId',
  ids: IdPrefix,
  text: string | undefined,
): FindOptionsWhere<PayoutEntity> {
  return text === undefined ? {} : { [column]: String(ids.parse(text) ?? 0) };
}
