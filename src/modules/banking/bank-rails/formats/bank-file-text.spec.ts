import { describe, expect, it } from 'vitest';
import { UnreadableReport } from '../payout-rail.js';
import { textOfBankFile } from './bank-file-text.js';

const xml = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?><a>Söhne</a>`;
const MARK = '\ufeff';

describe('the text of a bank’s file', () => {
  it.each([
    ['UTF-8', Buffer.from(xml('UTF-8'), 'utf8')],
    ['UTF-8 with a byte order mark', Buffer.from(MARK + xml('utf-8'), 'utf8')],
    ['a declared ISO-8859-1', Buffer.from(xml('ISO-8859-1'), 'latin1')],
    [
      'a declared windows-1252, in other quotes',
      Buffer.from(xml('windows-1252').replaceAll('"', "'"), 'latin1'),
    ],
    ['UTF-16, small end first', Buffer.from(MARK + xml('UTF-16'), 'utf16le')],
    ['UTF-16, big end first', Buffer.from(MARK + xml('UTF-16'), 'utf16le').swap16()],
    ['UTF-8 that calls itself UTF-16', Buffer.from(xml('UTF-16'), 'utf8')],
    ['ISO-8859-1 that calls itself UTF-8', Buffer.from(xml('UTF-8'), 'latin1')],
  ])('is read from %s', (_how, content) => {
    expect(textOfBankFile(content)).toMatch(/^<\?xml .*<a>Söhne<\/a>$/);
  });

  it('is read without XML from UTF-8 and from ISO-8859-1, each letter in its column', () => {
    for (const encoding of ['utf8', 'latin1'] as const) {
      expect(textOfBankFile(Buffer.from('101 SÖHNE 1', encoding))).toBe('101 SÖHNE 1');
    }
  });

  it('loses what does not belong to it: a closing 0x1A, NULs, lines of spaces at its ends', () => {
    expect(textOfBankFile(Buffer.from(' \r\n<a>x</a>\r\n   \r\n\u001a\u0000\u0000'))).toBe('<a>x</a>');
    expect(textOfBankFile(Buffer.from('101 A\u0000B\u0007C 1'))).toBe('101 A B C 1');
  });

  it('is refused in an encoding that nobody knows', () => {
    expect(() => textOfBankFile(Buffer.from(xml('KOI-99')))).toThrow(UnreadableReport);
  });
});
