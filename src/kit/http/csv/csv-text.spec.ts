import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText } from './csv-text.js';

const format = { columns: ['a', 'b.c'], rows: 'data' };

describe('csvText', () => {
  it('begins with the names of the columns, also without rows', () => {
    expect(csvText([], format, true)).toBe('a,b.c\r\n');
    expect(csvText([{ a: '1', b: { c: 'x' } }], format, true)).toBe('a,b.c\r\n1,x\r\n');
    expect(csvText([{ a: '1', b: { c: 'x' } }], format, false)).toBe('1,x\r\n');
  });

  it('leaves cells empty that have no value', () => {
    expect(csvText([{ a: null, b: { c: undefined } }, { a: true }], format, false)).toBe(',\r\ntrue,\r\n');
  });

  it('quotes separators, quotes and line ends', () => {
    expect(csvText([{ a: 'x,"y"\r\nz', b: { c: '' } }], format, false)).toBe('"x,""y""\r\nz",\r\n');
  });

  it('defuses what a spreadsheet would execute, and leaves numbers alone', () => {
    const cell = (a: unknown): string => csvText([{ a }], { ...format, columns: ['a'] }, false).trimEnd();
    expect(cell('-12.50')).toBe('-12.50');
    expect(cell(-3)).toBe('-3');
    expect(cell('-12.50|x')).toBe("'-12.50|x");
    for (const text of ['=1+1', '+1-2', '-A1', '@SUM(A1)', '\tx', "=HYPERLINK('x')"]) {
      expect(cell(text)).toMatch(/^"?'/);
    }
    expect(cell('-1\n=cmd')).toMatch(/^"'/);
  });

  it('has as many cells as columns, whatever they hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const line = csvText([{ a: text, b: { c: 'end' } }], format, false);
        expect(line.endsWith(',end\r\n')).toBe(true);
        const cell = line.slice(0, -',end\r\n'.length);
        const plain = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        expect([text, `'${text}`]).toContain(plain);
        if (/[\r\n",]/.test(text)) expect(cell).toMatch(/^"[^]*"$/);
      }),
    );
  });
});
