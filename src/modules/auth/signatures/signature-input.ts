/** Reads the header fields of a signature by RFC 9421, and holds them to what the service takes. */
import { type Dictionary, type InnerList, parseDictionary, serializeDictionary } from 'structured-headers';
import { signatureInvalid } from '../../../kit/security/challenges.js';
import type { SignedRequest } from '../../../kit/security/signed-request.js';

/** How far the clock of a client may be off, and how old a request may be. */
export const WINDOW_MS = 30_000;

const LABEL = 'sig1';
const FIELD_LENGTH_MAX = 2_048;
const SIGNATURE_BYTES = 64;
const KEY_ID = /^key_[0-9A-Z]{1,32}$/;
const NONCE = /^[\x21-\x7e]{16,64}$/;

/** An item or an inner list, with its parameters. */
type Member = readonly [value: unknown, parameters: ReadonlyMap<string, unknown>];

/** A signature in the form that the service takes, not yet verified. */
export interface SignatureInput {
  readonly keyId: string;
  readonly nonce: string;
  readonly createdAtMs: number;
  /** The covered components, with the parameters of the signature. */
  readonly covered: InnerList;
  readonly signature: Buffer;
}

/**
 * Throws `signature_invalid` (401) for another form: another label or algorithm, a component or parameter that is
 * missing or comes twice, a time outside the window, a text that is not in its canonical form. Signatures under other
 * labels, which a proxy may add, are ignored.
 */
export function readSignature(request: SignedRequest, nowMs: number): SignatureInput {
  const covered = inputIn(request.signatureInput);
  requireComponents(covered, request.hasBody);
  const parameters = covered[1];
  const createdAtMs = timeIn(parameters.get('created'), 'created');
  if (Math.abs(nowMs - createdAtMs) > WINDOW_MS) {
    throw signatureInvalid(
      `\`created\` is over ${WINDOW_MS / 1000} s from the time here, ${new Date(nowMs).toISOString()}: set your clock, and sign each request when it is sent.`,
    );
  }
  if (parameters.has('expires') && timeIn(parameters.get('expires'), 'expires') <= nowMs) {
    throw signatureInvalid('The signature is past its `expires`.');
  }
  if ((parameters.get('alg') ?? 'ed25519') !== 'ed25519') {
    throw signatureInvalid('Leave `alg` out, or set it to "ed25519".');
  }
  return {
    keyId: textIn(
      parameters.get('keyid'),
      KEY_ID,
      'Set `keyid` to the id of the signing key, such as "key_00000000001".',
    ),
    nonce: textIn(parameters.get('nonce'), NONCE, 'Set `nonce` to 16 to 64 random ASCII characters.'),
    createdAtMs,
    covered,
    signature: signatureIn(request.signature),
  };
}

/** The key that a signature names; undefined where it has not the form that the service takes. */
export function keyIdNamedIn({ signatureInput }: SignedRequest): string | undefined {
  try {
    return textIn(inputIn(signatureInput)[1].get('keyid'), KEY_ID, '');
  } catch {
    return undefined;
  }
}

function inputIn(field: string): InnerList {
  const member = canonicalDictionary(field, 'Signature-Input').get(LABEL);
  if (member === undefined || !Array.isArray(member[0])) {
    throw signatureInvalid(`Send \`Signature-Input\` with the label ${LABEL}.`);
  }
  return member as readonly unknown[] as InnerList;
}

function signatureIn(field: string): Buffer {
  const value = canonicalDictionary(field, 'Signature').get(LABEL)?.[0];
  if (!(value instanceof ArrayBuffer) || value.byteLength !== SIGNATURE_BYTES) {
    throw signatureInvalid(`Send \`Signature\` with the label ${LABEL}: ${SIGNATURE_BYTES} bytes in base64.`);
  }
  return Buffer.from(value);
}

/** What comes twice, and base64 with bits to spare, are written in another way than they were read. */
function canonicalDictionary(field: string, name: string): ReadonlyMap<string, Member> {
  if (field.length <= FIELD_LENGTH_MAX) {
    try {
      // The types of the library are those of browsers, which have more names for bytes.
      const dictionary: unknown = parseDictionary(field);
      if (serializeDictionary(dictionary as Dictionary) === field) {
        return dictionary as ReadonlyMap<string, Member>;
      }
    } catch {
      // It is answered as all that is malformed.
    }
  }
  throw signatureInvalid(
    `Send \`${name}\` as one dictionary in the canonical form of RFC 8941, of at most ${FIELD_LENGTH_MAX} characters.`,
  );
}

function requireComponents([items]: InnerList, hasBody: boolean): void {
  const names = (items as readonly Member[]).map(([name]) => name);
  if (new Set(names).size < names.length) throw signatureInvalid('Sign each component once.');
  const required = ['@method', '@target-uri', ...(hasBody ? ['content-digest'] : [])];
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw signatureInvalid(`Sign ${missing.map((name) => `"${name}"`).join(' and ')} too.`);
}

function timeIn(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value * 1000;
  throw signatureInvalid(`Set \`${name}\` to a time in whole seconds since 1970.`);
}

function textIn(value: unknown, pattern: RegExp, hint: string): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw signatureInvalid(hint);
}
