import { describe, expect, it } from 'vitest';
import { returnReasonOf } from './nacha-return-codes.js';
import { readNachaReturns, UnreadableNacha } from './nacha-returns.js';

const HEADER =
  '1011234567890 0210000212611240930A094101TRADEPOST              JPMORGAN CHASE         ' + ' '.repeat(8);
const BATCH =
  '5220TRADEPOST       ' + ' '.repeat(20) + '1234567890PPDPAYOUT          2611233281121000240000001';

interface Returned {
  readonly addenda?: string;
  readonly amountCents?: number;
}

const returned = (code: string, trace = '021000020000007') =>
  `799${code}${trace}      12100024${'SEE THE BANK'.padEnd(44)}121000240000001`;

const notice = (trace: string) => `798C01${trace}      12100024${'1918171614'.padEnd(44)}121000240000001`;

/** A file as the receiving bank would return it. */
function fileOf(entries: readonly Returned[]): string[] {
  const details = entries.flatMap(({ addenda, amountCents = 12_345 }) => [
    `621121000248000123456789     ${String(amountCents).padStart(10, '0')}pay-0000000001AALICE EXAMPLE           1121000240000001`,
    ...(addenda === undefined ? [] : addenda.split('\n')),
  ]);
  const total = entries.reduce((sum, { amountCents = 12_345 }) => sum + amountCents, 0);
  const hash = String(12_100_024 * entries.length).padStart(10, '0');
  const sums = `${hash}${'0'.repeat(12)}${String(total).padStart(12, '0')}`;
  const count = details.length;
  return [
    HEADER,
    BATCH,
    ...details,
    `8220${String(count).padStart(6, '0')}${sums}1234567890${' '.repeat(25)}121000240000001`,
    `9000001000001${String(count).padStart(8, '0')}${sums}${' '.repeat(39)}`,
  ];
}

const ONE = fileOf([{ addenda: returned('R03') }]);

describe('a file of returns', () => {
  it('says which entry came back, and why', () => {
    expect(readNachaReturns(ONE.join('\n'))).toEqual({
      returns: [
        {
          traceNumber: '021000020000007',
          code: 'R03',
          amountCents: 12_345n,
          individualId: 'pay-0000000001A',
          information: 'SEE THE BANK',
        },
      ],
      notices: [],
    });
  });

  it.each([
    ['with lines of Windows', ONE.join('\r\n') + '\r\n'],
    ['without lines', ONE.join('')],
    ['with the block filled up', [...ONE, ...Array.from({ length: 4 }, () => '9'.repeat(94))].join('\n')],
    ['with spaces lost at the ends', ONE.map((line) => line.trimEnd()).join('\n')],
    ['with spaces added at the ends', ONE.map((line) => `${line}   `).join('\n')],
    [
      'with empty lines and lines of spaces',
      [ONE[0], '', ...ONE.slice(1, 3), '    ', ...ONE.slice(3), ' '].join('\n'),
    ],
    ['without lines, with a block of spaces', ONE.join('') + ' '.repeat(94)],
  ])('is read %s', (_how, content) => {
    expect(readNachaReturns(content).returns.map(({ code }) => code)).toEqual(['R03']);
  });

  it('tells notices of change apart', () => {
    const { returns, notices } = readNachaReturns(
      fileOf([{ addenda: returned('R85') }, { addenda: notice('021000020000008'), amountCents: 0 }]).join(
        '\n',
      ),
    );
    expect(returns.map(({ code }) => code)).toEqual(['R85']);
    expect(notices).toEqual([{ traceNumber: '021000020000008', code: 'C01' }]);
  });

  it.each([
    ['is empty', []],
    ['is text', ['Dear customer,', 'nothing came back today.']],
    ['is cut short', ONE.slice(0, -1)],
    ['lost its entry', [...ONE.slice(0, 2), ...ONE.slice(4)]],
    ['lost an addenda', [...ONE.slice(0, 3), ...ONE.slice(4)]],
    ['has an amount changed', ONE.map((line) => line.replace('0000012345pay', '0000112345pay'))],
    ['has a bank changed', ONE.map((line) => line.replace('621121000248', '621021000021'))],
    ['goes on after its end', [...ONE, HEADER]],
    ['has a line that is too long', ONE.map((line, i) => (i === 2 ? `${line}!` : line))],
  ])('that %s is refused as a whole', (_what, lines) => {
    expect(() => readNachaReturns(lines.join('\n'))).toThrow(UnreadableNacha);
  });

  it.each<[string, string, object]>([
    ['a code that is none', '799XXX021000020000007', { code: 'XXX', traceNumber: '021000020000007' }],
    ['a trace number that is none', '799R0302100002000000?', { code: 'R03', traceNumber: undefined }],
    ['an addenda of another kind', '705R03021000020000007', { code: undefined, traceNumber: undefined }],
    ['a notice of change that is none', '798XXX021000020000007', { code: undefined, traceNumber: undefined }],
  ])('with %s in one entry tells it with that entry, and reads the others', (_what, start, told) => {
    const wrong = { addenda: start + returned('R03').slice(start.length) };
    const { returns, notices } = readNachaReturns(
      fileOf([{ addenda: returned('R01') }, wrong, { addenda: returned('R02', '021000020000009') }]).join(
        '\n',
      ),
    );
    expect(notices).toEqual([]);
    expect(returns).toMatchObject([{ code: 'R01' }, told, { code: 'R02', traceNumber: '021000020000009' }]);
    expect(returns[1]!.individualId).toBe('pay-0000000001A');
  });

  it('with an entry without addenda, or with two that say what became of it, tells that', () => {
    const both = `${returned('R03')}\n${notice('021000020000007')}`;
    const lines = fileOf([{}, { addenda: both }, { addenda: returned('R02') }]);
    const { returns, notices } = readNachaReturns(lines.join('\n'));
    expect(notices).toEqual([]);
    expect(returns).toMatchObject([
      { code: undefined, traceNumber: undefined, individualId: 'pay-0000000001A' },
      { code: undefined, traceNumber: undefined },
      { code: 'R02' },
    ]);
  });

  it('is refused without a word of what it holds', () => {
    const damaged = ONE.map((line) => line.replace('0000012345pay', 'x000012345pay')).join('\n');
    expect(() => readNachaReturns(damaged)).toThrow(/^line 3: an entry without an amount or a bank$/);
  });
});

describe('return codes', () => {
  it('are those of the rules', () => {
    expect(returnReasonOf('R01')).toBe('insufficient funds');
    expect(returnReasonOf('R85')).toContain('international');
    for (const code of ['R00', 'R86', 'C01', 'toString', '']) expect(returnReasonOf(code)).toBeUndefined();
  });
});
