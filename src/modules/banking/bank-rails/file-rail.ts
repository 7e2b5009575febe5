import { Injectable } from '@nestjs/common';
import { isSEPACountry } from 'ibantools';
import { returnReasonOf, statusOfReturn } from './formats/nacha-return-codes.js';
import { type NachaReturn, readNachaReturns, UnreadableNacha } from './formats/nacha-returns.js';
import { fileModifierOf, NACHA_LIMITS, traceNumberOf, writeNachaFile } from './formats/nacha.js';
import { Settings } from '../../../kit/config/settings.js';
import { bankText } from './bank-text.js';
import { localTimeOf } from './local-time.js';
import { PAIN_001_LIMITS, writePain001 } from './formats/pain001.js';
import { textOfBankFile } from './formats/bank-file-text.js';
import { readPain002 } from './formats/pain002.js';
import {
  PayoutRail,
  UnreadableReport,
  type PayeeAccount,
  type PayoutBatch,
  type RailFile,
  type RailPayment,
  type RailReport,
  type RailReportEntry,
  type RailTerms,
} from './payout-rail.js';
import { PAYOUT_SETTINGS } from './payout-settings.js';

const SEPA_PAYMENTS_MAX = 5_000;
const ACH_PAYMENTS_MAX = 5_000;
const SEPA_FILES_PER_DAY_MAX = 1_000;

/** That of the Federal Reserve. */
const ACH_CLOCK = { timeZone: 'America/New_York' } as const;

/** The text on receivers' statements. */
const ACH_DESCRIPTION = 'PAYOUT';

/** Members of SEPA's schemes since 2024 and 2025 that the library's table lacks. */
const JOINED_LATELY = ['AL', 'MD', 'ME', 'MK', 'RS'];

const MESSAGE_ID = /^TRADEPOST-SEPA-(\d{6,15})$/;

type SettingsLack = readonly (readonly [name: string, value: string | undefined])[];

/**
 * The default: files that operators hand to their bank. Euros go by SEPA credit transfer (ISO 20022
 * pain.001.001.09, reports as pain.002), dollars by ACH (NACHA files of PPD credits, and their returns).
 */
@Injectable()
export class FileRail extends PayoutRail {
  private readonly terms: readonly RailTerms[];

  constructor(private readonly settings: Settings) {
    super();
    const { sepa, ach } = settings.get(PAYOUT_SETTINGS);
    this.terms = [
      {
        name: 'sepa',
        accountType: 'iban',
        currency: 'EUR',
        calendar: 'target2',
        timeZone: 'Europe/Brussels',
        cutOffMinutes: sepa.cutOffMinutes,
        leadDays: 0,
        paidAfterDays: sepa.paidAfterDays,
        paymentsMax: SEPA_PAYMENTS_MAX,
        filesPerDayMax: SEPA_FILES_PER_DAY_MAX,
      },
      {
        name: 'ach',
        accountType: 'ach',
        currency: 'USD',
        calendar: 'fedach',
        ...ACH_CLOCK,
        cutOffMinutes: ach.cutOffMinutes,
        leadDays: 1,
        paidAfterDays: ach.paidAfterDays,
        paymentsMax: ACH_PAYMENTS_MAX,
        filesPerDayMax: NACHA_LIMITS.filesPerDay,
      },
    ];
  }

  override rails(): readonly RailTerms[] {
    return this.terms;
  }

  override missingSettings(rail: string): readonly string[] {
    const { companyName, sepa, ach } = this.settings.get(PAYOUT_SETTINGS);
    const needed: SettingsLack =
      rail === 'sepa'
        ? [['PAYOUT_SEPA_IBAN', sepa.iban]]
        : [
            ['PAYOUT_ACH_ROUTING_NUMBER', ach.routingNumber],
            ['PAYOUT_ACH_COMPANY_ID', ach.companyId],
          ];
    return [['PAYOUT_COMPANY_NAME', companyName] as const, ...needed]
      .filter(([, value]) => value === undefined)
      .map(([name]) => name);
  }

  override refusalOfName(_rail: string, holderName: string): string | undefined {
    // ACH has room for 22 letters and is used to names that are cut.
    return refusalOfText('holder_name', holderName, PAIN_001_LIMITS.name);
  }

  override refusalOf(rail: string, payment: Omit<RailPayment, 'paymentId'>): string | undefined {
    const limits =
      rail === 'sepa'
        ? PAIN_001_LIMITS
        : { reference: NACHA_LIMITS.paymentInformation, amountCents: NACHA_LIMITS.amountCents };
    const { holderName, reference, account, amountCents } = payment;
    if (account.type === 'iban' && !isReachedBySepa(account.iban)) {
      return `Accounts in ${account.iban.slice(0, 2)} are not reached by SEPA. Use an account in one of its countries.`;
    }
    if (amountCents > limits.amountCents) return 'The amount is more than one payment of this rail can be.';
    return (
      this.refusalOfName(rail, holderName) ??
      (reference === null ? undefined : refusalOfText('reference', reference, limits.reference))
    );
  }

  override write(batch: PayoutBatch): RailFile {
    return batch.rail === 'sepa' ? this.writeSepa(batch) : this.writeAch(batch);
  }

  override read(content: Buffer): RailReport {
    const text = textOfBankFile(content);
    return text.startsWith('<') ? readSepaReport(text) : readAchReport(text);
  }

  private writeSepa(batch: PayoutBatch): RailFile {
    const { companyName, sepa } = this.settings.get(PAYOUT_SETTINGS);
    const number = String(batch.fileNumber).padStart(6, '0');
    const content = writePain001({
      messageId: `TRADEPOST-SEPA-${number}`,
      createdAt: batch.createdAt,
      payOn: batch.settlesOn,
      payer: { name: companyName!, iban: sepa.iban!, bic: sepa.bic ?? null },
      transfers: batch.payments.map(({ paymentId, amountCents, holderName, account, reference }) => {
        const { iban, bic } = ibanOf(account);
        return {
          endToEndId: paymentId,
          amountCents,
          payeeName: bankText(holderName)!,
          iban,
          bic,
          reference: reference === null ? null : bankText(reference)!,
        };
      }),
    });
    return {
      name: `sepa-${number}.xml`,
      mediaType: 'application/xml',
      content: Buffer.from(content, 'utf8'),
      bankReferences: batch.payments.map(({ paymentId }) => paymentId),
    };
  }

  private writeAch(batch: PayoutBatch): RailFile {
    const { companyName, ach } = this.settings.get(PAYOUT_SETTINGS);
    const modifier = fileModifierOf(batch.fileOfDay);
    if (modifier === undefined) throw new RangeError('NACHA files of one day are told apart by 36 letters');
    const number = String(batch.fileNumber).padStart(6, '0');
    const bankReferences = batch.payments.map((_, place) =>
      traceNumberOf(ach.routingNumber!, batch.firstPaymentNumber + place),
    );
    const content = writeNachaFile({
      routingNumber: ach.routingNumber!,
      bankName: ach.bankName.toUpperCase(),
      companyId: ach.companyId!,
      companyName: companyName!.toUpperCase().slice(0, 23),
      createdAt: localTimeOf(ACH_CLOCK, batch.createdAt),
      modifier,
      batchNumber: batch.fileNumber,
      description: ACH_DESCRIPTION,
      effectiveOn: batch.settlesOn,
      entries: batch.payments.map(({ paymentId, amountCents, holderName, account, reference }, place) => ({
        ...achOf(account),
        amountCents,
        individualId: paymentId,
        name: bankText(holderName)!.toUpperCase().slice(0, NACHA_LIMITS.name),
        traceNumber: bankReferences[place]!,
        paymentInformation: reference === null ? null : bankText(reference)!,
      })),
    });
    return {
      name: `ach-${number}.ach`,
      mediaType: 'text/plain',
      content: Buffer.from(content, 'ascii'),
      bankReferences,
    };
  }
}

function readSepaReport(text: string): RailReport {
  const entries = readPain002(text).map(
    ({ messageId, endToEndId, status, code, message }): RailReportEntry => {
      const number = MESSAGE_ID.exec(messageId)?.[1];
      if (number === undefined)
        throw new UnreadableReport('It is about an order that did not come from here.');
      const subject =
        endToEndId === undefined ? { fileNumber: Number(number) } : { bankReference: endToEndId };
      return { subject, status, code, message, amountCents: null };
    },
  );
  return { rail: 'sepa', format: 'pain.002', entries, remarks: [] };
}

function readAchReport(text: string): RailReport {
  try {
    const { returns, notices } = readNachaReturns(text);
    return {
      rail: 'ach',
      format: 'nacha',
      entries: returns.map(entryOfReturn),
      remarks: notices.map(
        ({ traceNumber, code }) => `Notice of change ${code} for the entry ${traceNumber}.`,
      ),
    };
  } catch (error) {
    if (!(error instanceof UnreadableNacha)) throw error;
    throw new UnreadableReport(`It is neither XML nor a whole NACHA file: ${error.message}.`, {
      cause: error,
    });
  }
}

function entryOfReturn(entry: NachaReturn): RailReportEntry {
  const { traceNumber, code, amountCents, information } = entry;
  if (traceNumber === undefined || code === undefined) {
    const lacks = code === undefined ? 'return (99) and no notice of change (98)' : 'trace number';
    const subject = { paymentId: entry.individualId };
    return {
      subject,
      status: 'unclear',
      code: code ?? null,
      message: `The entry has no ${lacks}.`,
      amountCents,
    };
  }
  const status = statusOfReturn(code);
  const reason = returnReasonOf(code) ?? 'no code of the rules';
  const words = information === '' ? reason : `${reason}: ${information.replace(/[^\x20-\x7e]/g, '?')}`;
  return {
    subject: { bankReference: traceNumber },
    status,
    code,
    message: status === 'unclear' ? `${code} does not say where the money is (${words}).` : words,
    amountCents,
  };
}

function refusalOfText(field: string, text: string, lengthMax: number): string | undefined {
  const written = bankText(text);
  if (written === undefined) {
    return `Banks cannot write this ${field}. Use letters, digits, spaces and . , ' ( ) - / starting with a letter or digit.`;
  }
  if (written.length > lengthMax) {
    return `Banks take a ${field} of at most ${lengthMax} letters; written as they can, this one has ${written.length}.`;
  }
  return undefined;
}

function isReachedBySepa(iban: string): boolean {
  const country = iban.slice(0, 2);
  return isSEPACountry(country) || JOINED_LATELY.includes(country);
}

function ibanOf(account: PayeeAccount): Extract<PayeeAccount, { type: 'iban' }> {
  if (account.type !== 'iban') throw new TypeError('SEPA pays to IBANs alone');
  return account;
}

function achOf(account: PayeeAccount): Omit<Extract<PayeeAccount, { type: 'ach' }>, 'type'> {
  if (account.type !== 'ach') throw new TypeError('ACH pays to US accounts alone');
  const { routingNumber, accountNumber, accountType } = account;
  return { routingNumber, accountNumber, accountType };
}
