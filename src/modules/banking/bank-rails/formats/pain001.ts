import XmlBuilder from 'fast-xml-builder';
import type { CalendarDate } from '../../../../domain/banking/bank-calendar.js';

/** The longest texts that the SEPA credit transfer guide allows, in characters. */
export const PAIN_001_LIMITS = { name: 70, reference: 140, id: 35, amountCents: 99_999_999_999n } as const;

export interface CreditTransfer {
  /** Passed to the payee's bank, and back in every report. */
  readonly endToEndId: string;
  readonly amountCents: bigint;
  readonly payeeName: string;
  readonly iban: string;
  readonly bic: string | null;
  readonly reference: string | null;
}

/** A payment order for euros. All texts consist of the characters that banks take: see `bankText`. */
export interface CreditTransferInitiation {
  /** Never used again; up to 30 characters. */
  readonly messageId: string;
  readonly createdAt: Date;
  readonly payOn: CalendarDate;
  readonly payer: { readonly name: string; readonly iban: string; readonly bic: string | null };
  readonly transfers: readonly CreditTransfer[];
}

/** Writes an ISO 20022 customer credit transfer initiation, pain.001.001.09, by the rules of SEPA. */
export function writePain001({
  messageId,
  createdAt,
  payOn,
  payer,
  transfers,
}: CreditTransferInitiation): string {
  const total = transfers.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const sums = { NbOfTxs: String(transfers.length), CtrlSum: euros(total) };
  const builder = new XmlBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: '#text',
    format: true,
    indentBy: ' ',
    suppressEmptyNode: false,
    processEntities: true,
  });
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    Document: {
      '@xmlns': 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09',
      CstmrCdtTrfInitn: {
        GrpHdr: {
          MsgId: messageId,
          CreDtTm: `${createdAt.toISOString().slice(0, 19)}Z`,
          ...sums,
          InitgPty: { Nm: payer.name },
        },
        PmtInf: {
          PmtInfId: `${messageId}-1`,
          PmtMtd: 'TRF',
          ...sums,
          PmtTpInf: { SvcLvl: { Cd: 'SEPA' } },
          ReqdExctnDt: { Dt: payOn },
          Dbtr: { Nm: payer.name },
          DbtrAcct: { Id: { IBAN: payer.iban } },
          DbtrAgt: {
            FinInstnId: payer.bic === null ? { Othr: { Id: 'NOTPROVIDED' } } : { BICFI: payer.bic },
          },
          ChrgBr: 'SLEV',
          CdtTrfTxInf: transfers.map(transactionOf),
        },
      },
    },
  });
}

function transactionOf({ endToEndId, amountCents, payeeName, iban, bic, reference }: CreditTransfer): object {
  return {
    PmtId: { InstrId: endToEndId, EndToEndId: endToEndId },
    Amt: { InstdAmt: { '@Ccy': 'EUR', '#text': euros(amountCents) } },
    ...(bic !== null && { CdtrAgt: { FinInstnId: { BICFI: bic } } }),
    Cdtr: { Nm: payeeName },
    CdtrAcct: { Id: { IBAN: iban } },
    ...(reference !== null && { RmtInf: { Ustrd: reference } }),
  };
}

function euros(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}
