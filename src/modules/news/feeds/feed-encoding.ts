const BYTE_ORDER_MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  // No marks, but as telling: `<?` in two bytes each.
  ['utf-16be', [0x00, 0x3c, 0x00, 0x3f]],
  ['utf-16le', [0x3c, 0x00, 0x3f, 0x00]],
];

const CHARSET_PARAMETER = /;\s*charset\s*=\s*"?([\w:.+-]+)/i;
const DECLARED_ENCODING = /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w:.+-]+)["']/;
const DECLARATION_BYTES_MAX = 400;

/**
 * The text of an XML document, whose encoding is told by (in this order, RFC 7303) its byte order mark, the
 * content type that it was sent with, its own declaration, or else is UTF-8. One that is named wrongly or does
 * not exist is passed over; what fits none at all is read as Windows-1252, which any bytes are.
 */
export function decodeXml(bytes: Uint8Array, contentType: string | undefined): string {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];
  const sent = CHARSET_PARAMETER.exec(contentType ?? '')?.[1];
  for (const encoding of [marked, sent, declaredEncoding(bytes), 'utf-8']) {
    const text = encoding === undefined ? undefined : decode(bytes, encoding);
    if (text !== undefined) return text;
  }
  return new TextDecoder('windows-1252').decode(bytes);
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES_MAX));
  return DECLARED_ENCODING.exec(beginning)?.[1];
}

function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    // There is no such encoding, or the bytes are not in it.
    return undefined;
  }
}
