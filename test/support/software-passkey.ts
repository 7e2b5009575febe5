/** A passkey in software, which signs whatever a spec asks for: what is right, and what no authenticator would. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { Json } from './caller.js';

/** The bits of WebAuthn (6.1): present, verified, may be and is backed up, and the data of a new credential. */
export const FLAGS = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 };

/** What is other than it should be. */
export interface Deviation {
  readonly challenge?: unknown;
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  /** Instead of present and verified. */
  readonly flags?: number;
  readonly signCount?: number;
  readonly userHandle?: string | null;
  /** As COSE has it, instead of the key's own. */
  readonly algorithm?: number;
  readonly format?: string;
  readonly statement?: ReadonlyMap<CborValue, CborValue>;
}

type CborValue = number | string | Uint8Array | readonly CborValue[] | ReadonlyMap<CborValue, CborValue>;

export class SoftwarePasskey {
  credentialId = randomBytes(32);
  /** Counts on with each signature; 0 for one that does not count. */
  signCount = 0;
  private userHandle = '';
  private readonly privateKey: KeyObject;
  private readonly jwk: Json;

  constructor(
    private readonly origin: string,
    private readonly algorithm: 'ES256' | 'EdDSA' = 'ES256',
    private readonly countsFrom: number | null = 1,
  ) {
    const { privateKey, publicKey } =
      algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('ed25519');
    this.privateKey = privateKey;
    this.jwk = publicKey.export({ format: 'jwk' });
  }

  get id(): string {
    return this.credentialId.toString('base64url');
  }

  /** As `navigator.credentials.create` answers these options. */
  create(options: Json, deviation: Deviation = {}): Json {
    this.userHandle = options.user.id;
    const attested = Buffer.concat([
      Buffer.alloc(16),
      uint(this.credentialId.length, 2),
      this.credentialId,
      cbor(this.publicKey(deviation.algorithm)),
    ]);
    const rpId = deviation.rpId ?? options.rp.id;
    const flags = (deviation.flags ?? FLAGS.present | FLAGS.verified) | FLAGS.attested;
    const authData = Buffer.concat([this.authenticatorData(rpId, flags, deviation), attested]);
    const attestation = new Map<CborValue, CborValue>([
      ['fmt', deviation.format ?? 'none'],
      ['attStmt', deviation.statement ?? new Map()],
      ['authData', authData],
    ]);
    return this.credential({
      clientDataJSON: this.clientData('webauthn.create', options, deviation),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal', 'telepathy'],
    });
  }

  /** As `navigator.credentials.get` answers these options. */
  get(options: Json, deviation: Deviation = {}): Json {
    const flags = deviation.flags ?? FLAGS.present | FLAGS.verified;
    const authData = this.authenticatorData(deviation.rpId ?? options.rpId, flags, deviation);
    const clientDataJSON = this.clientData('webauthn.get', options, deviation);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const signature = sign(this.algorithm === 'ES256' ? 'sha256' : null, signed, this.privateKey);
    return this.credential({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: deviation.userHandle === undefined ? this.userHandle : deviation.userHandle,
    });
  }

  private credential(response: Json): Json {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  private clientData(type: string, options: Json, deviation: Deviation): string {
    const challenge = 'challenge' in deviation ? deviation.challenge : options.challenge;
    const data = {
      type: deviation.type ?? type,
      challenge,
      origin: deviation.origin ?? this.origin,
      crossOrigin: false,
    };
    return Buffer.from(JSON.stringify(data), 'utf8').toString('base64url');
  }

  private authenticatorData(rpId: string, flags: number, { signCount }: Deviation): Buffer {
    if (this.countsFrom !== null) this.signCount = Math.max(this.signCount + 1, this.countsFrom);
    return Buffer.concat([sha256(Buffer.from(rpId)), uint(flags, 1), uint(signCount ?? this.signCount, 4)]);
  }

  /** In COSE (RFC 9053). */
  private publicKey(algorithm?: number): ReadonlyMap<CborValue, CborValue> {
    const x = Buffer.from(this.jwk.x, 'base64url');
    return this.algorithm === 'ES256'
      ? new Map<CborValue, CborValue>([
          [1, 2],
          [3, algorithm ?? -7],
          [-1, 1],
          [-2, x],
          [-3, Buffer.from(this.jwk.y, 'base64url')],
        ])
      : new Map<CborValue, CborValue>([
          [1, 1],
          [3, algorithm ?? -8],
          [-1, 6],
          [-2, x],
        ]);
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

/** As much of CBOR (RFC 8949) as WebAuthn needs. */
function cbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<CborValue, CborValue>)].flatMap(([key, member]) => [
      cbor(key),
      cbor(member),
    ]);
    return Buffer.concat([head(5, value.size), ...entries]);
  }
  const items = value as readonly CborValue[];
  return Buffer.concat([head(4, items.length), ...items.map(cbor)]);
}

function head(type: number, value: number): Buffer {
  if (value < 24) return uint((type << 5) | value, 1);
  if (value < 0x100) return Buffer.concat([uint((type << 5) | 24, 1), uint(value, 1)]);
  return Buffer.concat([uint((type << 5) | 25, 1), uint(value, 2)]);
}
