import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bankText } from './bank-text.js';

describe('bankText', () => {
  it.each([
    ['Alice Example', 'Alice Example'],
    ['Jürgen Müller-Lüdenscheidt', 'Jurgen Muller-Ludenscheidt'],
    ['Łukasz Żółć', 'Lukasz Zolc'],
    ['Þórbjörg Æsa', 'Thorbjorg Aesa'],
    ['Groß & Söhne', 'Gross + Sohne'],
    ['Иван Иванов', 'Ivan Ivanov'],
    ['Ελένη Παπαδοπούλου', 'Eleni Papadopoyloy'],
    ['王小明', 'WangXiaoMing'],
    ['Seán O’Brien', "Sean O'Brien"],
    ['Nguyễn Văn Đức', 'Nguyen Van Duc'],
    ['Ａｌｉｃｅ', 'Alice'],
    ['  two   spaces ', 'two spaces'],
    ['invoice 2026/11, no. 7', 'invoice 2026/11, no. 7'],
  ])('writes %j as %j', (text, written) => {
    expect(bankText(text)).toBe(written);
  });

  it.each([
    ['a formula', '=HYPERLINK("http://x.example")'],
    ['another formula', '+1+1'],
    ['a third formula', '-2+3+cmd|calc'],
    ['a fourth formula', '@SUM(A1)'],
    ['XML', '<Cdtr><Nm>Eve</Nm></Cdtr>'],
    ['a line of its own', 'Alice\n622021000021'],
    ['a NUL', 'Alice\0'],
    ['text that is turned around', 'Alice \u202Eevil'],
    ['an invisible joint', 'Al\u200Bice'],
    ['an emoji', 'Alice 🚀'],
    ['half of a pair', 'Alice \ud83d'],
    ['nothing but marks', '\u0301\u0301'],
    ['nothing', '   '],
    ['a tilde', 'Alice ~ Bob'],
    ['slashes that mean something to banks', '/RFB/1'],
    ['a double slash', 'a//b'],
    ['letters for private use', 'Alice \ue000'],
  ])('refuses %s', (_what, text) => {
    expect(bankText(text)).toBeUndefined();
  });

  it('never answers what a bank or a spreadsheet would take for something else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const written = bankText(text);
        if (written === undefined) return;
        expect(written).toMatch(/^[A-Za-z0-9(][A-Za-z0-9/?:().,'+ -]*$/);
        expect(written.trim()).toBe(written);
        expect(bankText(written)).toBe(written);
      }),
      { numRuns: 500 },
    );
  });
});
