import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileModifierOf, type NachaEntry, type NachaFile, traceNumberOf, writeNachaFile } from './nacha.js';

/**
 * A reader of its own: the tables of the NACHA Operating Rules, appendix three, by first and last position
 * as they are printed there, and nothing of the writer.
 */
const LAYOUTS: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  '1': {
    priorityCode: [2, 3],
    immediateDestination: [4, 13],
    immediateOrigin: [14, 23],
    fileCreationDate: [24, 29],
    fileCreationTime: [30, 33],
    fileIdModifier: [34, 34],
    recordSize: [35, 37],
    blockingFactor: [38, 39],
    formatCode: [40, 40],
    immediateDestinationName: [41, 63],
    immediateOriginName: [64, 86],
    referenceCode: [87, 94],
  },
  '5': {
    serviceClassCode: [2, 4],
    companyName: [5, 20],
    companyDiscretionaryData: [21, 40],
    companyIdentification: [41, 50],
    standardEntryClassCode: [51, 53],
    companyEntryDescription: [54, 63],
    companyDescriptiveDate: [64, 69],
    effectiveEntryDate: [70, 75],
    settlementDate: [76, 78],
    originatorStatusCode: [79, 79],
    originatingDfi: [80, 87],
    batchNumber: [88, 94],
  },
  '6': {
    transactionCode: [2, 3],
    receivingDfi: [4, 11],
    checkDigit: [12, 12],
    dfiAccountNumber: [13, 29],
    amount: [30, 39],
    individualIdentification: [40, 54],
    individualName: [55, 76],
    discretionaryData: [77, 78],
    addendaRecordIndicator: [79, 79],
    traceNumber: [80, 94],
  },
  '7': {
    addendaTypeCode: [2, 3],
    paymentRelatedInformation: [4, 83],
    addendaSequenceNumber: [84, 87],
    entryDetailSequenceNumber: [88, 94],
  },
  '8': {
    serviceClassCode: [2, 4],
    entryAddendaCount: [5, 10],
    entryHash: [11, 20],
    totalDebit: [21, 32],
    totalCredit: [33, 44],
    companyIdentification: [45, 54],
    messageAuthenticationCode: [55, 73],
    reserved: [74, 79],
    originatingDfi: [80, 87],
    batchNumber: [88, 94],
  },
  '9': {
    batchCount: [2, 7],
    blockCount: [8, 13],
    entryAddendaCount: [14, 21],
    entryHash: [22, 31],
    totalDebit: [32, 43],
    totalCredit: [44, 55],
    reserved: [56, 94],
  },
};

type Fields = Readonly<Record<string, string>>;

function read(content: string): { type: string; fields: Fields }[] {
  const lines = content.split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.length % 10).toBe(0);
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]{94}$/);
  const padding = lines.findIndex((line) => /^9{94}$/.test(line));
  const records = padding < 0 ? lines : lines.slice(0, padding);
  for (const line of lines.slice(records.length)) expect(line).toBe('9'.repeat(94));
  return records.map((line) => {
    const type = line.charAt(0);
    const fields = Object.entries(LAYOUTS[type]!).map(([name, [first, last]]) => [
      name,
      line.slice(first - 1, last),
    ]);
    return { type, fields: Object.fromEntries(fields) as Fields };
  });
}

const ROUTING_NUMBERS = ['021000021', '121000248', '011000015', '256074974', '091000022'];

const entryArbitrary = fc.record({
  routingNumber: fc.constantFrom(...ROUTING_NUMBERS),
  accountNumber: fc.stringMatching(/^[1-9]\d{3,16}$/),
  accountType: fc.constantFrom('checking' as const, 'savings' as const),
  amountCents: fc.bigInt({ min: 1n, max: 9_999_999_999n }),
  individualId: fc.stringMatching(/^pay-[0-9A-Z]{11}$/),
  name: fc.stringMatching(/^[A-Z][A-Z .'-]{0,21}$/),
  paymentInformation: fc.option(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 ]{0,79}$/)),
});

function fileOf(entries: readonly Omit<NachaEntry, 'traceNumber'>[]): NachaFile {
  return {
    routingNumber: '021000021',
    bankName: 'JPMORGAN CHASE',
    companyId: '1234567890',
    companyName: 'TRADEPOST EXAMPLE',
    createdAt: { date: '2026-11-20', minutes: 16 * 60 + 5 },
    modifier: 'A',
    batchNumber: 12,
    description: 'PAYOUT',
    effectiveOn: '2026-11-23',
    entries: entries.map((entry, i) => ({ ...entry, traceNumber: traceNumberOf('021000021', i + 7) })),
  };
}

const ENTRY: Omit<NachaEntry, 'traceNumber'> = {
  routingNumber: '121000248',
  accountNumber: '000123456789',
  accountType: 'checking',
  amountCents: 12_345n,
  individualId: 'pay-0000000001A',
  name: 'ALICE EXAMPLE',
  paymentInformation: 'Winnings of November',
};

describe('a NACHA file', () => {
  it('is laid out to the character', () => {
    const lines = writeNachaFile(fileOf([ENTRY])).split('\n');
    expect(lines.slice(0, 7)).toEqual([
      '101 02100002112345678902611201605A094101JPMORGAN CHASE         TRADEPOST EXAMPLE      ' +
        ' '.repeat(8),
      '5220TRADEPOST EXAMPL' + ' '.repeat(20) + '1234567890PPDPAYOUT          261123   1021000020000012',
      '622121000248000123456789     0000012345pay-0000000001AALICE EXAMPLE           1021000020000007',
      '705Winnings of November                                                            00010000007',
      '82200000020012100024000000000000000000012345' + '1234567890' + ' '.repeat(25) + '021000020000012',
      '9000001000001000000020012100024000000000000000000012345' + ' '.repeat(39),
      '9'.repeat(94),
    ]);
  });

  it('is read back by who knows nothing of the writer, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(entryArbitrary, { minLength: 1, maxLength: 25 }), (entries) => {
        const records = read(writeNachaFile(fileOf(entries)));
        const of = (type: string) => records.filter((record) => record.type === type).map((r) => r.fields);

        expect(records.map(({ type }) => type).join('')).toMatch(/^15(67?)+89$/);
        expect(of('1')[0]).toMatchObject({
          priorityCode: '01',
          immediateDestination: ' 021000021',
          immediateOrigin: '1234567890',
          fileCreationDate: '261120',
          fileCreationTime: '1605',
          fileIdModifier: 'A',
          recordSize: '094',
          blockingFactor: '10',
          formatCode: '1',
        });
        expect(of('5')[0]).toMatchObject({
          serviceClassCode: '220',
          companyName: 'TRADEPOST EXAMPL',
          companyIdentification: '1234567890',
          standardEntryClassCode: 'PPD',
          companyEntryDescription: 'PAYOUT    ',
          effectiveEntryDate: '261123',
          settlementDate: '   ',
          originatingDfi: '02100002',
          batchNumber: '0000012',
        });
        const details = of('6');
        expect(
          details.map((fields) => ({
            routingNumber: `${fields['receivingDfi']}${fields['checkDigit']}`,
            accountNumber: fields['dfiAccountNumber']!.trimEnd(),
            accountType: fields['transactionCode'] === '22' ? 'checking' : 'savings',
            amountCents: BigInt(fields['amount']!),
            individualId: fields['individualIdentification'],
            name: fields['individualName']!.trimEnd(),
          })),
        ).toEqual(
          entries.map(({ paymentInformation: _, ...rest }) => ({ ...rest, name: rest.name.trimEnd() })),
        );

        // Each addenda belongs to the entry before it, and says so.
        for (const [place, { type, fields }] of records.entries()) {
          if (type !== '6') continue;
          const next = records[place + 1]!;
          expect(fields['addendaRecordIndicator']).toBe(next.type === '7' ? '1' : '0');
          if (next.type === '7') {
            expect(fields['traceNumber']!.endsWith(next.fields['entryDetailSequenceNumber']!)).toBe(true);
          }
        }
        const traces = details.map((fields) => Number(fields['traceNumber']));
        expect(traces).toEqual([...new Set(traces)].sort((a, b) => a - b));

        const total = entries.reduce((sum, { amountCents }) => sum + amountCents, 0n);
        const hash = entries.reduce((sum, { routingNumber }) => sum + BigInt(routingNumber.slice(0, 8)), 0n);
        for (const control of [of('8')[0]!, of('9')[0]!]) {
          expect(Number(control['entryAddendaCount'])).toBe(details.length + of('7').length);
          expect(BigInt(control['entryHash']!)).toBe(hash % 10n ** 10n);
          expect(BigInt(control['totalCredit']!)).toBe(total);
          expect(BigInt(control['totalDebit']!)).toBe(0n);
        }
        const blocks = Math.ceil(records.length / 10);
        expect(of('9')[0]).toMatchObject({
          batchCount: '000001',
          blockCount: String(blocks).padStart(6, '0'),
        });
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the last ten digits of a hash that has grown beyond them', () => {
    const entries = Array.from({ length: 900 }, () => ({ ...ENTRY, paymentInformation: null }));
    const control = read(writeNachaFile(fileOf(entries))).at(-1)!.fields;
    expect(control['entryHash']).toBe(String((12_100_024n * 900n) % 10n ** 10n).padStart(10, '0'));
  });

  it.each([
    ['a name that is too long', { name: 'A'.repeat(23) }],
    ['letters that ACH has not', { name: 'JOSÉ' }],
    ['a line of its own in the reference', { paymentInformation: 'one\n9two' }],
    ['an account number that is too long', { accountNumber: '1'.repeat(18) }],
    ['an amount that is too large', { amountCents: 10_000_000_000n }],
    ['a negative amount', { amountCents: -1n }],
  ])('is not written with %s', (_what, change) => {
    expect(() => writeNachaFile(fileOf([{ ...ENTRY, ...change }]))).toThrow(RangeError);
  });

  it('has 36 modifiers a day', () => {
    expect([1, 2, 26, 27, 36, 37].map(fileModifierOf)).toEqual(['A', 'B', 'Z', '0', '9', undefined]);
  });
});
