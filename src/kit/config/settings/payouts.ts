import type { Amount } from '../../../domain/money/amount.js';
import { bic, iban, routingNumber, timeOfDay } from '../payout-readers.js';
import { assetAmount, integer, listOf, oneOf, text } from '../readers.js';
import { optional, type ReadSetting, setting } from '../setting.js';
import { serviceSettings } from './service.js';

/** Payouts to bank accounts, and the house's own bank accounts. */
export interface PayoutsConfig {
  /**
   * By currency: the sum of an owner's payouts in 24 hours above which each further one needs approval; a currency
   * without an entry has no limit.
   */
  readonly approvalAbove: ReadonlyMap<string, Amount>;
  /** By currency: what a payout costs in addition to its amount. */
  readonly fees: ReadonlyMap<string, Amount>;
  /**
   * What to do if the holder of a payout account has another name than the KYC record: warn, require approval of each
   * payout, or refuse the account.
   */
  readonly holderNameCheck: 'warn' | 'approve' | 'refuse';
  /** The name of the paying company; required for bank files. */
  readonly companyName: string | undefined;
  readonly sepa: {
    readonly iban: string | undefined;
    readonly bic: string | undefined;
    /** Minutes after midnight in Brussels. */
    readonly cutOffMinutes: number;
    /** Business days without a return after which a payout counts as paid. */
    readonly paidAfterDays: number;
  };
  readonly ach: {
    readonly routingNumber: string | undefined;
    readonly companyId: string | undefined;
    readonly bankName: string;
    /** Minutes after midnight in New York. */
    readonly cutOffMinutes: number;
    readonly paidAfterDays: number;
  };
}

export const payoutSettings = {
  payoutApprovalAbove: setting(
    'PAYOUT_APPROVAL_ABOVE',
    listOf(assetAmount, 100),
    'EUR:1000,USD:1000',
    'Amounts that payouts of an owner may add up to in 24 hours; what goes beyond needs an approval.',
  ),
  payoutFees: optional(
    'PAYOUT_FEES',
    listOf(assetAmount, 100),
    'none',
    'What a payout costs in addition to its amount, such as EUR:0.5,USD:0.25.',
  ),
  payoutHolderNameCheck: optional(
    'PAYOUT_HOLDER_NAME_CHECK',
    oneOf('warn', 'approve', 'refuse'),
    'approve in production, else warn',
    'What to do where a payout account has another holder than the KYC record names: warn, have an operator approve each payout to it, or refuse it.',
  ),
  payoutCompanyName: optional(
    'PAYOUT_COMPANY_NAME',
    text('1 to 70 letters, digits, spaces and .,()+-', /^[A-Za-z0-9][A-Za-z0-9 .,()+-]{0,69}$/),
    'none',
    'The name under which payouts are made; payment files need it.',
  ),
  payoutSepaIban: optional(
    'PAYOUT_SEPA_IBAN',
    iban,
    'none',
    'The account that SEPA payouts are paid from; SEPA files need it.',
  ),
  payoutSepaBic: optional('PAYOUT_SEPA_BIC', bic, 'none', 'The BIC of the bank of PAYOUT_SEPA_IBAN.'),
  payoutSepaCutOff: setting(
    'PAYOUT_SEPA_CUT_OFF',
    timeOfDay,
    '15:00',
    'When, on business days, a SEPA file is made of what waits; time of Brussels.',
  ),
  payoutSepaPaidAfterDays: setting(
    'PAYOUT_SEPA_PAID_AFTER_DAYS',
    integer(1, 60),
    '2',
    'Business days without a return after which a SEPA payout counts as paid.',
  ),
  payoutAchRoutingNumber: optional(
    'PAYOUT_ACH_ROUTING_NUMBER',
    routingNumber,
    'none',
    'The bank that originates ACH payouts; NACHA files need it.',
  ),
  payoutAchCompanyId: optional(
    'PAYOUT_ACH_COMPANY_ID',
    text('10 letters and digits', /^[A-Z0-9]{10}$/),
    'none',
    'The number that this bank has given to the company; NACHA files need it.',
  ),
  payoutAchBankName: setting(
    'PAYOUT_ACH_BANK_NAME',
    text('1 to 23 letters, digits, spaces and .,&-', /^[A-Za-z0-9][A-Za-z0-9 .,&-]{0,22}$/),
    'ODFI',
    'The name of this bank, as NACHA files have it.',
  ),
  payoutAchCutOff: setting(
    'PAYOUT_ACH_CUT_OFF',
    timeOfDay,
    '16:00',
    'When, on business days, a NACHA file is made of what waits; time of New York.',
  ),
  payoutAchPaidAfterDays: setting(
    'PAYOUT_ACH_PAID_AFTER_DAYS',
    integer(1, 60),
    '3',
    'Business days without a return after which an ACH payout counts as paid.',
  ),
};

export function readPayoutsConfig(read: ReadSetting): PayoutsConfig {
  const isProduction = read(serviceSettings.nodeEnv) === 'production';
  return {
    approvalAbove: new Map(read(payoutSettings.payoutApprovalAbove)),
    fees: new Map(read(payoutSettings.payoutFees)),
    holderNameCheck: read(payoutSettings.payoutHolderNameCheck) ?? (isProduction ? 'approve' : 'warn'),
    companyName: read(payoutSettings.payoutCompanyName),
    sepa: {
      iban: read(payoutSettings.payoutSepaIban),
      bic: read(payoutSettings.payoutSepaBic),
      cutOffMinutes: read(payoutSettings.payoutSepaCutOff),
      paidAfterDays: read(payoutSettings.payoutSepaPaidAfterDays),
    },
    ach: {
      routingNumber: read(payoutSettings.payoutAchRoutingNumber),
      companyId: read(payoutSettings.payoutAchCompanyId),
      bankName: read(payoutSettings.payoutAchBankName),
      cutOffMinutes: read(payoutSettings.payoutAchCutOff),
      paidAfterDays: read(payoutSettings.payoutAchPaidAfterDays),
    },
  };
}
