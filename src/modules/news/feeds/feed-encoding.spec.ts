import { describe, expect, it } from 'vitest';
import { decodeXml } from './feed-encoding.js';

const declared = (encoding: string, text: string): string =>
  `<?xml version="1.0" encoding="${encoding}"?>${text}`;
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('decodeXml', () => {
  it('reads UTF-8 unless told otherwise', () => {
    expect(decodeXml(Buffer.from('<a>é€😀</a>'), undefined)).toBe('<a>é€😀</a>');
    expect(decodeXml(Buffer.from('<a>é</a>'), 'application/rss+xml')).toBe('<a>é</a>');
  });

  it('believes the byte order mark first', () => {
    const text = '<a>é</a>';
    expect(decodeXml(Buffer.from(`\uFEFF${text}`), 'text/xml; charset=iso-8859-1')).toBe(text);
    expect(decodeXml(Buffer.from(`\uFEFF${text}`, 'utf16le'), undefined)).toBe(text);
    expect(decodeXml(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), undefined)).toBe(text);
    const unmarked = declared('utf-16', text);
    expect(decodeXml(Buffer.from(unmarked, 'utf16le'), undefined)).toBe(unmarked);
    expect(decodeXml(Buffer.from(unmarked, 'utf16le').swap16(), undefined)).toBe(unmarked);
  });

  it('believes the content type before the declaration', () => {
    const bytes = latin1(declared('utf-8', 'é'));
    expect(decodeXml(bytes, 'text/xml; charset="ISO-8859-1"')).toBe(declared('utf-8', 'é'));
  });

  it('believes the declaration', () => {
    expect(decodeXml(latin1(declared('ISO-8859-1', 'é')), 'text/xml')).toBe(declared('ISO-8859-1', 'é'));
    const cyrillic = Buffer.concat([latin1(declared('windows-1251', '')), Buffer.from([0xcf, 0xf0])]);
    expect(decodeXml(cyrillic, undefined)).toBe(declared('windows-1251', 'Пр'));
    const japanese = Buffer.concat([
      latin1(declared('Shift_JIS', '')),
      Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
    ]);
    expect(decodeXml(japanese, undefined)).toBe(declared('Shift_JIS', '日本'));
  });

  it('makes do where all are wrong', () => {
    expect(decodeXml(latin1('<a>é “x”</a>'.replace(/[“”]/g, '\x93')), 'text/xml; charset=utf-8')).toBe(
      '<a>é “x“</a>',
    );
    expect(decodeXml(Buffer.from('<a>é</a>'), 'text/xml; charset=nonsense')).toBe('<a>é</a>');
    expect(decodeXml(Buffer.from(declared('klingon', 'é')), undefined)).toBe(declared('klingon', 'é'));
    expect(decodeXml(new Uint8Array(), undefined)).toBe('');
  });
});
