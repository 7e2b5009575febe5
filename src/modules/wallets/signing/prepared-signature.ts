import { hash } from 'node:crypto';
import { base58 } from '@scure/base';
import { ApiError } from '../../../kit/http/errors.js';
import type { SignedContent } from './signing-policy.js';
import type { AddressEntity } from '../keys/address.entity.js';
import type { KeyPair } from '../keys/key-pair.js';
import { bip322MessageHash, signBip322 } from './bip322.js';
import { eip191Digest, signDigest } from './ethereum-signing.js';
import type { SignDto } from './signature.dto.js';
import type { SignatureScheme } from './signature.entity.js';
import { offchainMessage, offchainProblem, signOffchain } from './solana-offchain.js';
import { parseTypedData } from './typed-data.js';

/** A request that is in order, with all that can be known of its signature without the key. */
export interface PreparedSignature {
  readonly scheme: SignatureScheme;
  /** 0x and 64 hex digits. */
  readonly digest: string;
  readonly content: SignedContent;
  /** As the chain writes its signatures. */
  sign(key: KeyPair): string;
}

const HEX = /^(?:0x)?(?:[0-9a-fA-F]{2})*$/;

/** Throws `validation_failed` (400), with the path of what is wrong, for what cannot be signed by this address. */
export function prepareSignature(
  { chain, publicKey }: Pick<AddressEntity, 'chain' | 'publicKey'>,
  body: SignDto,
): PreparedSignature {
  if (body.type === 'typed') {
    if (chain !== 'ethereum')
      throw invalid('type', 'must be raw: only addresses of ethereum sign typed data');
    return prepareTyped(body);
  }
  const message = messageOf(body);
  const content: SignedContent = { type: 'raw', message };
  switch (chain) {
    case 'ethereum': {
      const digest = eip191Digest(message);
      return { scheme: 'eip191', digest, content, sign: ({ privateKey }) => signDigest(privateKey, digest) };
    }
    case 'bitcoin': {
      const digest = `0x${bip322MessageHash(message).toString('hex')}`;
      return { scheme: 'bip322_simple', digest, content, sign: (key) => signBip322(key, message) };
    }
    case 'solana': {
      const problem = offchainProblem(message);
      if (problem !== undefined) throw invalid('payload', problem);
      const offchain = offchainMessage(base58.decode(publicKey), message);
      const digest = `0x${hash('sha256', offchain, 'hex')}`;
      const sign = (key: KeyPair): string => base58.encode(signOffchain(key, offchain));
      return { scheme: 'solana_offchain', digest, content, sign };
    }
  }
}

function prepareTyped({ payload, encoding, typed_data }: SignDto): PreparedSignature {
  if (payload != null) throw invalid('payload', 'must not be there with the type typed');
  if (encoding != null) throw invalid('encoding', 'must not be there with the type typed');
  if (typed_data == null) throw invalid('typed_data', 'must be there with the type typed');
  const { primaryType, domain, message, digest } = parseTypedData(typed_data, 'typed_data');
  return {
    scheme: 'eip712',
    digest,
    content: { type: 'typed', primaryType, domain, message },
    sign: ({ privateKey }) => signDigest(privateKey, digest),
  };
}

function messageOf({ payload, encoding, typed_data }: SignDto): Buffer {
  if (typed_data != null) throw invalid('typed_data', 'must not be there with the type raw');
  if (payload == null) throw invalid('payload', 'must be there with the type raw');
  if (encoding !== 'hex') return Buffer.from(payload, 'utf8');
  if (!HEX.test(payload)) throw invalid('payload', 'must be an even number of hex digits');
  return Buffer.from(payload.replace(/^0x/, ''), 'hex');
}

function invalid(field: string, problem: string): ApiError {
  return ApiError.validation([{ field, message: `${field} ${problem}` }]);
}
