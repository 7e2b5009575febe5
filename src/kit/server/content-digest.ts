/** Holds the body of a signed request to its `Content-Digest` (RFC 9530). */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseDictionary } from 'structured-headers';
import { signatureInvalid } from '../security/challenges.js';

/** By the names that RFC 9530 gives them. */
const ALGORITHMS: readonly (readonly [string, string])[] = [
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
];

interface Expected {
  readonly hash: Hash;
  readonly digest: Buffer;
}

/** The digests of one body: feed it all bytes in order, and then `require` that they are the body that was signed. */
export class ContentDigest {
  private constructor(private readonly expected: readonly Expected[]) {}

  /** Throws `signature_invalid` (401) for a field with no digest that the service knows. */
  static of({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): ContentDigest | undefined {
    const field = headersDistinct['content-digest']?.join(', ');
    if (field === undefined) return undefined;
    const digests = digestsIn(field);
    const expected = ALGORITHMS.flatMap(([name, algorithm]) => {
      const digest = digests.get(name);
      return digest === undefined ? [] : [{ hash: createHash(algorithm), digest }];
    });
    if (expected.length === 0) throw signatureInvalid('Send a `Content-Digest` by sha-256 or sha-512.');
    return new ContentDigest(expected);
  }

  add(bytes: Uint8Array): void {
    for (const { hash } of this.expected) hash.update(bytes);
  }

  /** Throws `signature_invalid` (401) for another body. */
  require(): void {
    if (this.expected.every(({ hash, digest }) => hash.digest().equals(digest))) return;
    throw signatureInvalid(
      'The body is another one than `Content-Digest` says: digest the bytes that are sent.',
    );
  }
}

function digestsIn(field: string): ReadonlyMap<string, Buffer> {
  try {
    return new Map(
      [...parseDictionary(field)].flatMap(([name, [value]]) =>
        value instanceof ArrayBuffer ? [[name, Buffer.from(value)]] : [],
      ),
    );
  } catch {
    return new Map();
  }
}
