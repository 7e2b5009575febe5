import { assetAmount, integer, listOf, oneOf, text } from '../../../kit/config/readers.js';
import { optional, setting } from '../../../kit/config/setting.js';
import { settingGroup } from '../../../kit/config/setting-group.js';
import { bic, iban, routingNumber, timeOfDay } from './payout-readers.js';

/** Payouts to bank accounts, and the house's own bank accounts. */
export const PAYOUT_SETTINGS = settingGroup(
  {
    approvalAbove: setting(
      'PAYOUT_APPROVAL_ABOVE',
      listOf(assetAmount, 100),
      'EUR:1000,USD:1000',
      'Amounts that payouts of an owner may add up to in 24 hours; what goes beyond needs an approval.',
    ),
    fees: optional(
      'PAYOUT_FEES',
      listOf(assetAmount, 100),
      'none',
      'What a payout costs in addition to its amount, such as EUR:0.5,USD:0.25.',
    ),
    holderNameCheck: optional(
      'PAYOUT_HOLDER_NAME_CHECK',
      oneOf('warn', 'approve', 'refuse'),
      'approve in production, else warn',
      'What to do where a payout account has another holder than the KYC record names: warn, have an operator approve each payout to it, or refuse it.',
    ),
    companyName: optional(
      'PAYOUT_COMPANY_NAME',
      text('1 to 70 letters, digits, spaces and .,()+-', /^[A-Za-z0-9][A-Za-z0-9 .,()+-]{0,69}$/),
      'none',
      'The name under which payouts are made; payment files need it.',
    ),
    sepaIban: optional(
      'PAYOUT_SEPA_IBAN',
      iban,
      'none',
      'The account that SEPA payouts are paid from; SEPA files need it.',
    ),
    sepaBic: optional('PAYOUT_SEPA_BIC', bic, 'none', 'The BIC of the bank of PAYOUT_SEPA_IBAN.'),
    sepaCutOff: setting(
      'PAYOUT_SEPA_CUT_OFF',
      timeOfDay,
      '15:00',
      'When, on business days, a SEPA file is made of what waits; time of Brussels.',
    ),
    sepaPaidAfterDays: setting(
      'PAYOUT_SEPA_PAID_AFTER_DAYS',
      integer(1, 60),
      '2',
      'Business days without a return after which a SEPA payout counts as paid.',
    ),
    achRoutingNumber: optional(
      'PAYOUT_ACH_ROUTING_NUMBER',
      routingNumber,
      'none',
      'The bank that originates ACH payouts; NACHA files need it.',
    ),
    achCompanyId: optional(
      'PAYOUT_ACH_COMPANY_ID',
      text('10 letters and digits', /^[A-Z0-9]{10}$/),
      'none',
      'The number that this bank has given to the company; NACHA files need it.',
    ),
    achBankName: setting(
      'PAYOUT_ACH_BANK_NAME',
      text('1 to 23 letters, digits, spaces and .,&-', /^[A-Za-z0-9][A-Za-z0-9 .,&-]{0,22}$/),
      'ODFI',
      'The name of this bank, as NACHA files have it.',
    ),
    achCutOff: setting(
      'PAYOUT_ACH_CUT_OFF',
      timeOfDay,
      '16:00',
      'When, on business days, a NACHA file is made of what waits; time of New York.',
    ),
    achPaidAfterDays: setting(
      'PAYOUT_ACH_PAID_AFTER_DAYS',
      integer(1, 60),
      '3',
      'Business days without a return after which an ACH payout counts as paid.',
    ),
  },
  (values, { isProduction }) => ({
    /**
     * By currency: the sum of an owner's payouts in 24 hours above which each further one needs approval; a currency
     * without an entry has no limit.
     */
    approvalAbove: new Map(values.approvalAbove),
    /** By currency: what a payout costs in addition to its amount. */
    fees: new Map(values.fees),
    /**
     * What to do if the holder of a payout account has another name than the KYC record: warn, require approval of each
     * payout, or refuse the account.
     */
    holderNameCheck: values.holderNameCheck ?? (isProduction ? 'approve' : 'warn'),
    /** The name of the paying company; required for bank files. */
    companyName: values.companyName,
    sepa: {
      iban: values.sepaIban,
      bic: values.sepaBic,
      /** Minutes after midnight in Brussels. */
      cutOffMinutes: values.sepaCutOff,
      /** Business days without a return after which a payout counts as paid. */
      paidAfterDays: values.sepaPaidAfterDays,
    },
    ach: {
      routingNumber: values.achRoutingNumber,
      companyId: values.achCompanyId,
      bankName: values.achBankName,
      /** Minutes after midnight in New York. */
      cutOffMinutes: values.achCutOff,
      paidAfterDays: values.achPaidAfterDays,
    },
  }),
);
