/** The text that a signature by RFC 9421 is over. */
import { type InnerList, serializeInnerList, serializeItem } from 'structured-headers';

/** What the components of a signature are taken from. */
export interface SignedMessage {
  readonly method: string;
  /** As the client sees it. */
  readonly targetUri: string;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
}

/**
 * The signature base (section 2.5): a line for each covered component, then the list of them with its parameters.
 * Undefined for a component that the message does not have, or that is not taken here: one with parameters.
 */
export function signatureBaseOf(covered: InnerList, message: SignedMessage): Buffer | undefined {
  const lines: string[] = [];
  for (const [name, parameters] of covered[0]) {
    if (typeof name !== 'string' || parameters.size > 0) return undefined;
    const value = name.startsWith('@') ? derivedOf(name, message) : fieldOf(name, message);
    if (value === undefined) return undefined;
    lines.push(`${serializeItem(name)}: ${value}`);
  }
  lines.push(`"@signature-params": ${serializeInnerList(covered)}`);
  // As Node reads headers: byte by byte.
  return Buffer.from(lines.join('\n'), 'latin1');
}

/** Section 2.1: all values of a field, trimmed and joined. */
function fieldOf(name: string, { headers }: SignedMessage): string | undefined {
  return headers[name]?.map((value) => value.trim()).join(', ');
}

/** Section 2.2. */
function derivedOf(name: string, { method, targetUri }: SignedMessage): string | undefined {
  switch (name) {
    case '@method':
      return method;
    case '@target-uri':
      return targetUri;
    case '@scheme':
      return targetUri.slice(0, targetUri.indexOf(':'));
    case '@authority':
      return /^[^:]*:\/\/([^/?]*)/.exec(targetUri)?.[1];
    case '@path':
      return targetUri.replace(/^[^:]*:\/\/[^/?]*|\?.*$/g, '') || '/';
    case '@query':
      return /\?.*$/.exec(targetUri)?.[0] ?? '?';
    default:
      return undefined;
  }
}
