import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { parseAmount } from '../../../domain/money/amount.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { ApiError } from '../../../kit/http/errors.js';
import { VALIDATION_FAILED } from '../../../kit/http/error-codes.js';
import { storableText } from '../../../kit/storable-text.js';
import { fingerprintOf } from '../../../kit/repeated-requests.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';
import { CreditGate } from '../../limits/credit-gate.js';

const RAIL = /^[a-z][a-z0-9_-]{0,31}$/;
const ID_LENGTH_MAX = 200;

/** Money that has arrived outside. */
export interface DepositCredit {
  /** The way that it took, such as `acme-pix`: the ledger's account of the outside world. Up to 32 lower-case letters, digits, `-`, `_`. */
  readonly rail: string;
  /** What the bank calls it: no other deposit of the rail ever has the same. Up to 200 characters. */
  readonly id: string;
  /** Whose it is: the id of a trading account, such as `acc_00000000004`. */
  readonly reference: string;
  readonly asset: string;
  /** A plain decimal above 0, with no more places than the asset has. */
  readonly amount: string;
}

export interface CreditedDeposit {
  readonly accountId: string;
  /** False where it had been credited before. */
  readonly isNew: boolean;
}

/**
 * Credits money that plugins know has arrived. A deposit is credited once, by its rail and id, however often and by however
 * many this is called, and has an entry in the audit log with it. So call it again where it has thrown, or the process has died.
 */
@Injectable()
export class Deposits {
  constructor(
    private readonly core: CoreService,
    private readonly gate: CreditGate,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Throws `validation_failed` (400) for what is no deposit, `account_not_found`, `idempotency_key_reused` (422) where another
   * deposit of the rail has the id, what the limits of the account's owner refuse, and the ledger's refusals, such as
   * `amount_too_precise`. Nothing is credited then, and the id is free, unless it is of another one.
   */
  async credit({ rail, id, reference, asset, amount }: DepositCredit): Promise<CreditedDeposit> {
    requireText('rail', rail, (text) => RAIL.test(text));
    requireText(
      'id',
      id,
      (text) => text !== '' && text.length <= ID_LENGTH_MAX && storableText(text) === text,
    );
    requireText('reference', reference, (text) => text !== '');
    requireText('asset', asset, (text) => text !== '');
    requireText('amount', amount, (text) => (parseAmount(text) ?? 0n) > 0n);
    const accountId = await this.accountOf(reference);
    const terms = { rail, id, reference, asset, amount };
    const answer = await this.gate.deposit(
      accountId,
      [
        {
          type: 'move_money',
          debit: { rail },
          credit: { accountId },
          asset,
          amount,
          reason: 'deposit',
          reference: `${rail}:${id}`,
        },
      ],
      {
        idempotency: {
          owner: 'system:deposits',
          key: `${rail}:${id}`,
          // However its decimal is written.
          fingerprint: fingerprintOf('CREDIT', rail, {
            accountId,
            asset,
            units: String(parseAmount(amount)),
          }),
          keptForGood: true,
        },
        audit: this.audit.entryOfSystem('deposit', {
          target: { type: 'account', id: reference },
          details: terms,
        }),
      },
    );
    resultOf(answer.outcomes[0], 'transfer');
    return { accountId: reference, isNew: answer.isOfKey !== true };
  }

  private async accountOf(reference: string): Promise<number> {
    const accountId = ACCOUNT_IDS.parse(reference);
    const account = accountId === undefined ? undefined : await this.core.account(accountId);
    if (account === undefined || account.kind !== 'trading' || account.owner === null)
      throw new ApiError(REFUSALS.account_not_found, 'No trading account of anybody has this reference.');
    return account.accountId;
  }
}

/** Plugins in JavaScript have no types to hold them. */
function requireText(field: string, value: unknown, isRight: (text: string) => boolean): void {
  if (typeof value === 'string' && isRight(value)) return;
  throw new ApiError(VALIDATION_FAILED, `The ${field} of the deposit is not one.`);
}
