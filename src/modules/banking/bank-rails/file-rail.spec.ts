import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../../test/support/settings.js';
import { FileRail } from './file-rail.js';
import { PAYOUT_SETTINGS } from './payout-settings.js';
import { type PayoutBatch, type RailPayment, UnreadableReport } from './payout-rail.js';

const rail = new FileRail(
  settingsOf([PAYOUT_SETTINGS], {
    PAYOUT_COMPANY_NAME: 'Tradepost Example',
    PAYOUT_SEPA_IBAN: 'FR1420041010050500013M02606',
    PAYOUT_ACH_ROUTING_NUMBER: '121000248',
    PAYOUT_ACH_COMPANY_ID: '1234567890',
  }),
);

const PAYMENT: RailPayment = {
  paymentId: 'pay-00000000001',
  amountCents: 12_345n,
  holderName: 'Łukasz Żółć & Söhne',
  account: { type: 'iban', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  reference: 'Invoice 7',
};

const BATCH: PayoutBatch = {
  rail: 'sepa',
  fileNumber: 12,
  fileOfDay: 1,
  firstPaymentNumber: 101,
  createdAt: new Date('2026-11-20T14:00:00.123Z'),
  createdOn: '2026-11-20',
  settlesOn: '2026-11-20',
  payments: [
    PAYMENT,
    {
      ...PAYMENT,
      paymentId: 'pay-00000000002',
      amountCents: 5n,
      holderName: 'Bob O’Neill',
      account: { type: 'iban', iban: 'NL91ABNA0417164300', bic: null },
      reference: null,
    },
  ],
};

type Xml = { readonly [name: string]: Xml } & string;

/** Elements of the message by name, in the order that pain.001.001.09 requires. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  CstmrCdtTrfInitn: ['GrpHdr', 'PmtInf'],
  GrpHdr: ['MsgId', 'CreDtTm', 'NbOfTxs', 'CtrlSum', 'InitgPty'],
  PmtInf: [
    'PmtInfId',
    'PmtMtd',
    'NbOfTxs',
    'CtrlSum',
    'PmtTpInf',
    'ReqdExctnDt',
    'Dbtr',
    'DbtrAcct',
    'DbtrAgt',
    'ChrgBr',
    'CdtTrfTxInf',
  ],
  CdtTrfTxInf: ['PmtId', 'Amt', 'CdtrAgt', 'Cdtr', 'CdtrAcct', 'RmtInf'],
  PmtId: ['InstrId', 'EndToEndId'],
};

describe('a SEPA file', () => {
  const file = rail.write(BATCH);
  const text = file.content.toString('utf8');
  const document = new XMLParser({ ignoreAttributes: false, parseTagValue: false }).parse(text) as Record<
    string,
    Xml
  >;
  const message = document['Document']!['CstmrCdtTrfInitn']!;

  it('is a pain.001.001.09 by the rules of SEPA', () => {
    expect(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>')).toBe(true);
    expect(document['Document']!['@_xmlns']).toBe('urn:iso:std:iso:20022:tech:xsd:pain.001.001.09');
    expect(message['GrpHdr']).toEqual({
      MsgId: 'TRADEPOST-SEPA-000012',
      CreDtTm: '2026-11-20T14:00:00Z',
      NbOfTxs: '2',
      CtrlSum: '123.50',
      InitgPty: { Nm: 'Tradepost Example' },
    });
    expect(message['PmtInf']).toEqual({
      PmtInfId: 'TRADEPOST-SEPA-000012-1',
      PmtMtd: 'TRF',
      NbOfTxs: '2',
      CtrlSum: '123.50',
      PmtTpInf: { SvcLvl: { Cd: 'SEPA' } },
      ReqdExctnDt: { Dt: '2026-11-20' },
      Dbtr: { Nm: 'Tradepost Example' },
      DbtrAcct: { Id: { IBAN: 'FR1420041010050500013M02606' } },
      DbtrAgt: { FinInstnId: { Othr: { Id: 'NOTPROVIDED' } } },
      ChrgBr: 'SLEV',
      CdtTrfTxInf: [
        {
          PmtId: { InstrId: 'pay-00000000001', EndToEndId: 'pay-00000000001' },
          Amt: { InstdAmt: { '#text': '123.45', '@_Ccy': 'EUR' } },
          CdtrAgt: { FinInstnId: { BICFI: 'COBADEFFXXX' } },
          Cdtr: { Nm: 'Lukasz Zolc + Sohne' },
          CdtrAcct: { Id: { IBAN: 'DE89370400440532013000' } },
          RmtInf: { Ustrd: 'Invoice 7' },
        },
        {
          PmtId: { InstrId: 'pay-00000000002', EndToEndId: 'pay-00000000002' },
          Amt: { InstdAmt: { '#text': '0.05', '@_Ccy': 'EUR' } },
          Cdtr: { Nm: "Bob O'Neill" },
          CdtrAcct: { Id: { IBAN: 'NL91ABNA0417164300' } },
        },
      ],
    });
  });

  it('has its elements in the schema’s order, and texts of the banks’ characters alone', () => {
    const walk = (name: string, node: Xml): void => {
      if (typeof node === 'string') {
        if (!name.startsWith('@_')) expect(node).toMatch(/^[A-Za-z0-9/?:().,'+ -]{1,140}$/);
        return;
      }
      const children = Object.keys(node);
      const order = ORDER[name];
      if (order) expect(children).toEqual(order.filter((child) => children.includes(child)));
      for (const [child, value] of Object.entries<Xml>(node)) {
        for (const each of Array.isArray(value) ? (value as Xml[]) : [value]) walk(child, each);
      }
    };
    walk('CstmrCdtTrfInitn', message);
  });

  it('says under which references the bank will report', () => {
    expect(file).toMatchObject({
      name: 'sepa-000012.xml',
      mediaType: 'application/xml',
      bankReferences: ['pay-00000000001', 'pay-00000000002'],
    });
  });
});

describe('a NACHA file', () => {
  it('numbers its traces on, in the letters of ACH', () => {
    const account = {
      type: 'ach',
      routingNumber: '021000021',
      accountNumber: '12345678',
      accountType: 'savings',
    } as const;
    const { name, content, bankReferences } = rail.write({
      ...BATCH,
      rail: 'ach',
      payments: BATCH.payments.map((payment) => ({ ...payment, account })),
    });
    expect(name).toBe('ach-000012.ach');
    expect(bankReferences).toEqual(['121000240000101', '121000240000102']);
    const details = content
      .toString('ascii')
      .split('\n')
      .filter((line) => line.startsWith('6'));
    expect(details.map((line) => line.slice(54, 76))).toEqual([
      'LUKASZ ZOLC + SOHNE   ',
      "BOB O'NEILL           ",
    ]);
    expect(details.map((line) => line.slice(79))).toEqual(bankReferences);
  });

  it('has the date and the time of one clock in its header: that of New York', () => {
    const account = {
      type: 'ach',
      routingNumber: '021000021',
      accountNumber: '12345678',
      accountType: 'checking',
    } as const;
    const headerAt = (createdAt: string, createdOn: string): string =>
      rail
        .write({
          ...BATCH,
          rail: 'ach',
          createdAt: new Date(createdAt),
          createdOn,
          payments: [{ ...PAYMENT, account }],
        })
        .content.toString('ascii')
        .slice(23, 33);
    expect(headerAt('2026-11-20T02:05:00Z', '2026-11-19')).toBe('2611192105');
    expect(headerAt('2026-07-01T04:00:00Z', '2026-07-01')).toBe('2607010000');
  });
});

describe('what the rails do not carry', () => {
  const refusal = (change: Partial<RailPayment>, name = 'sepa') =>
    rail.refusalOf(name, { ...PAYMENT, ...change });

  it.each([
    [{}, undefined],
    [{ reference: null }, undefined],
    [{ holderName: 'A'.repeat(71) }, 'at most 70 letters'],
    // Each of these is written as `sh`.
    [{ holderName: 'ш'.repeat(40) }, 'this one has 80'],
    [{ reference: 'x'.repeat(141) }, 'at most 140'],
    [{ reference: '=1+1' }, 'cannot write this reference'],
    [{ amountCents: 100_000_000_000n }, 'more than one payment'],
    [
      { account: { type: 'iban', iban: 'BR1500000000000010932840814P2', bic: null } } as const,
      'Accounts in BR',
    ],
    [{ account: { type: 'iban', iban: 'RS35260005601001611379', bic: null } } as const, undefined],
  ])('%o', (change, expected) => {
    if (expected === undefined) expect(refusal(change)).toBeUndefined();
    else expect(refusal(change)).toContain(expected);
  });

  it('has less room by ACH', () => {
    const account = {
      type: 'ach',
      routingNumber: '021000021',
      accountNumber: '1234',
      accountType: 'checking',
    } as const;
    expect(refusal({ account, reference: 'x'.repeat(81) }, 'ach')).toContain('at most 80');
    expect(refusal({ account, amountCents: 10_000_000_000n }, 'ach')).toContain('more than one payment');
    expect(refusal({ account, holderName: 'A'.repeat(40) }, 'ach')).toBeUndefined();
  });

  it('names the settings that are missing', () => {
    const bare = new FileRail(settingsOf([PAYOUT_SETTINGS]));
    expect(bare.missingSettings('sepa')).toEqual(['PAYOUT_COMPANY_NAME', 'PAYOUT_SEPA_IBAN']);
    expect(bare.missingSettings('ach')).toEqual([
      'PAYOUT_COMPANY_NAME',
      'PAYOUT_ACH_ROUTING_NUMBER',
      'PAYOUT_ACH_COMPANY_ID',
    ]);
    expect(rail.missingSettings('sepa')).toEqual([]);
  });
});

describe('a status report', () => {
  const report = (inside: string, head = '<?xml version="1.0"?>'): Buffer =>
    Buffer.from(
      `${head}<Document xmlns="urn:x"><CstmrPmtStsRpt>${inside}</CstmrPmtStsRpt></Document>`,
      'utf8',
    );
  const ORIGINAL = '<OrgnlMsgId>TRADEPOST-SEPA-000012</OrgnlMsgId>';
  const group = (status: string) => `<OrgnlGrpInfAndSts>${ORIGINAL}${status}</OrgnlGrpInfAndSts>`;

  it('speaks of single payments, with the bank’s words', () => {
    const payments =
      '<OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>pay-1</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC01</Cd></Rsn><AddtlInf>No &amp; never</AddtlInf><AddtlInf>twice</AddtlInf></StsRsnInf></TxInfAndSts><TxInfAndSts><OrgnlEndToEndId>pay-2</OrgnlEndToEndId><TxSts>PDNG</TxSts></TxInfAndSts></OrgnlPmtInfAndSts>';
    expect(rail.read(report(group('') + payments))).toEqual({
      rail: 'sepa',
      format: 'pain.002',
      remarks: [],
      entries: [
        {
          subject: { bankReference: 'pay-1' },
          status: 'failed',
          code: 'AC01',
          message: 'No & never twice',
          amountCents: null,
        },
        {
          subject: { bankReference: 'pay-2' },
          status: 'pending',
          code: null,
          message: null,
          amountCents: null,
        },
      ],
    });
  });

  it.each([
    ['the group', group('<GrpSts>RJCT</GrpSts>')],
    ['the order', `${group('')}<OrgnlPmtInfAndSts><PmtInfSts>RJCT</PmtInfSts></OrgnlPmtInfAndSts>`],
    [
      'both',
      `${group('<GrpSts>RJCT</GrpSts>')}<OrgnlPmtInfAndSts><PmtInfSts>RJCT</PmtInfSts></OrgnlPmtInfAndSts>`,
    ],
    ['a prefix', group('<GrpSts>RJCT</GrpSts>').replaceAll('<', '<n:').replaceAll('<n:/', '</n:')],
  ])('speaks of a whole file by %s', (_how, inside) => {
    expect(rail.read(report(inside)).entries).toMatchObject([
      { subject: { fileNumber: 12 }, status: 'failed' },
    ]);
  });

  const payment = (id: string, status: string, code?: string) =>
    `<TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId>${status === '' ? '' : `<TxSts>${status}</TxSts>`}${code === undefined ? '' : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`}</TxInfAndSts>`;
  const paymentsOf = (status: string, ...payments: readonly string[]) =>
    `<OrgnlPmtInfAndSts>${status}${payments.join('')}</OrgnlPmtInfAndSts>`;
  const REASON = '<StsRsnInf><Rsn><Cd>AM04</Cd></Rsn></StsRsnInf>';

  it.each([
    ['its group’s', group(''), `<PmtInfSts>RJCT</PmtInfSts>${REASON}`],
    ['the order’s', group(`<GrpSts>RJCT</GrpSts>${REASON}`), ''],
  ])('says of a payment its own status before %s, which those without one have', (_above, order, above) => {
    const { entries } = rail.read(
      report(
        order +
          paymentsOf(above, payment('pay-1', 'ACSC'), payment('pay-2', '', 'AC04'), payment('pay-3', '')),
      ),
    );
    expect(entries).toMatchObject([
      { subject: { bankReference: 'pay-1' }, status: 'paid', code: null },
      { subject: { bankReference: 'pay-2' }, status: 'failed', code: 'AC04' },
      { subject: { bankReference: 'pay-3' }, status: 'failed', code: 'AM04' },
      { subject: { fileNumber: 12 }, status: 'failed', code: 'AM04' },
    ]);
  });

  it.each(['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05'])(
    'that rejects with %s speaks of a second copy, on whatever level it says so',
    (code) => {
      const reasons = `<StsRsnInf><Rsn><Cd>NARR</Cd></Rsn></StsRsnInf><StsRsnInf><Rsn><Cd>${code}</Cd></Rsn><AddtlInf>Again</AddtlInf></StsRsnInf>`;
      const inside = group(`<GrpSts>RJCT</GrpSts>${reasons}`) + paymentsOf('', payment('pay-1', 'RJCT'));
      expect(rail.read(report(inside)).entries).toMatchObject([
        { subject: { bankReference: 'pay-1' }, status: 'duplicate', code: null },
        { subject: { fileNumber: 12 }, status: 'duplicate', code: 'NARR', message: `(${code}) Again` },
      ]);
      const accepted = group('') + paymentsOf('', payment('pay-1', 'ACSC', code));
      expect(rail.read(report(accepted)).entries).toMatchObject([{ status: 'paid' }]);
    },
  );

  it.each(['CANC', 'BLCK', 'ABCD', 'constructor', ''])(
    'with the status %j is unclear, and never left out',
    (word) => {
      const own = report(group('') + paymentsOf('', payment('pay-1', word, 'MS03')));
      expect(rail.read(own).entries).toMatchObject([
        {
          subject: { bankReference: 'pay-1' },
          status: 'unclear',
          code: word === '' ? 'MS03' : word,
          message: expect.stringContaining('MS03'),
        },
      ]);
      const whole = rail.read(report(group(word === '' ? '' : `<GrpSts>${word}</GrpSts>`)));
      expect(whole.entries).toMatchObject([{ subject: { fileNumber: 12 }, status: 'unclear' }]);
    },
  );

  const entities = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join(
    '',
  );
  it.each([
    ['is empty', ''],
    ['is no XML', '<Document'],
    ['is another message', '<Document><CstmrCdtTrfInitn/></Document>'],
    ['has another’s order', report(group('<GrpSts>RJCT</GrpSts>').replace('TRADEPOST', 'ACME')).toString()],
    ['has no order', report('<OrgnlGrpInfAndSts/>').toString()],
    ['has a document type', report(group(''), '<!DOCTYPE x SYSTEM "file:///etc/passwd">').toString()],
    [
      'has entities',
      report(group('<GrpSts>&e9;</GrpSts>'), `<!DOCTYPE x [<!ENTITY e0 "x">${entities}]>`).toString(),
    ],
    ['is nested without end', `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}`],
    ['has names of JavaScript', '<__proto__><constructor>x</constructor></__proto__>'],
  ])('that %s is refused', (_what, content) => {
    expect(() => rail.read(Buffer.from(content, 'utf8'))).toThrow(UnreadableReport);
  });

  it('that is about several orders is refused', () => {
    expect(() => rail.read(report(group('') + group('')))).toThrow(/several orders/);
  });

  it('is read in a declared ISO-8859-1, with a byte order mark, and up to a closing 0x1A', () => {
    const inside = group('<GrpSts>RJCT</GrpSts><StsRsnInf><AddtlInf>Söhne</AddtlInf></StsRsnInf>');
    const latin = report(inside, '<?xml version="1.0" encoding="ISO-8859-1"?>').toString('utf8');
    for (const content of [
      Buffer.from(latin, 'latin1'),
      Buffer.from(`\ufeff${report(inside).toString('utf8')}`),
      Buffer.from(`\r\n   \r\n${report(inside).toString('utf8')}\r\n   \r\n\u001a`),
    ]) {
      expect(rail.read(content).entries).toMatchObject([{ status: 'failed', message: 'Söhne' }]);
    }
  });

  it('says of each payment alone what is unclear about it', () => {
    const nameless = payment('', 'ACSC').replace('<OrgnlEndToEndId></OrgnlEndToEndId>', '');
    const provided = payment('NOTPROVIDED', 'RJCT', 'AC04').replace(
      '<TxSts>',
      '<OrgnlInstrId>pay-3</OrgnlInstrId><TxSts>',
    );
    const twice = payment('pay-4', 'ACSC').replace('</TxSts>', '</TxSts><TxSts>RJCT</TxSts>');
    const { entries } = rail.read(
      report(`${group('')}${payment('pay-1', 'ACSC')}${paymentsOf('', nameless, provided, twice)}`),
    );
    expect(entries).toMatchObject([
      { subject: { bankReference: 'pay-1' }, status: 'paid' },
      { subject: { fileNumber: 12 }, status: 'unclear', message: expect.stringContaining('OrgnlEndToEndId') },
      { subject: { bankReference: 'pay-3' }, status: 'failed', code: 'AC04' },
      { subject: { bankReference: 'pay-4' }, status: 'unclear', code: 'ACSC RJCT' },
    ]);
  });
});
