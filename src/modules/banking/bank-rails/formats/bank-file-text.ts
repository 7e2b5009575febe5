import { isUtf8 } from 'node:buffer';
import { UnreadableReport } from '../payout-rail.js';

/** Where an XML declaration is, if there is one. */
const HEAD_BYTES = 200;
const DECLARED = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._:-]{0,39})["']/;

/** UTF-8 where it can be, else what banks mean that declare nothing or the wrong thing. */
const UTF_8 = 'utf-8';
const WITHOUT_DECLARATION = 'windows-1252';

/**
 * The text of a bank's file, without a byte order mark and white space at its ends. Control characters become spaces,
 * such as the 0x1A with which old systems end a file: so columns stay, and XML stays readable. Throws an
 * UnreadableReport for an encoding that is not known.
 */
export function textOfBankFile(content: Buffer): string {
  const encoding = encodingOf(content);
  try {
    return new TextDecoder(encoding)
      .decode(content)
      .replace(/(?![\t\n\r])\p{Cc}/gu, ' ')
      .trim();
  } catch (error) {
    throw new UnreadableReport(`Its encoding ${encoding} is not known: ask the bank for UTF-8.`, {
      cause: error,
    });
  }
}

/** By its byte order mark, its XML declaration, or its bytes. */
function encodingOf(content: Buffer): string {
  const head = content.subarray(0, HEAD_BYTES).toString('latin1');
  if (head.startsWith('\u00ff\u00fe')) return 'utf-16le';
  if (head.startsWith('\u00fe\u00ff')) return 'utf-16be';
  const declared = DECLARED.exec(head)?.[1];
  // A declaration that can be read byte by byte is not written in UTF-16, whatever it says.
  if (declared !== undefined && !/^utf-?(?:8|16)/i.test(declared)) return declared;
  return isUtf8(content) ? UTF_8 : WITHOUT_DECLARATION;
}
