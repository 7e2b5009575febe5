import { isUtf8 } from 'node:buffer';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { KeyPair } from '../keys/key-pair.js';

/** What no transaction begins with. */
const SIGNING_DOMAIN = Buffer.from('\xffsolana offchain', 'latin1');
const HEADER_VERSION = 0;
/** The service signs for any caller, so for no particular application. */
const APPLICATION_DOMAIN = Buffer.alloc(32);
const SIGNERS = 1;

/** What hardware wallets sign too. */
const SHORT_BYTES_MAX = 1_232;
const OFFCHAIN_MESSAGE_BYTES_MAX = 65_535;

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Why a message has no off-chain form; `undefined` where it has one. */
export function offchainProblem(message: Uint8Array): string | undefined {
  if (message.length === 0) return 'must not be empty on solana';
  if (message.length > OFFCHAIN_MESSAGE_BYTES_MAX) {
    return `must not be larger than ${OFFCHAIN_MESSAGE_BYTES_MAX} bytes on solana`;
  }
  return isUtf8(message) ? undefined : 'must be text in UTF-8 on solana';
}

/** The signed bytes of a message: version 0 of Solana's off-chain messages, with one signer. */
export function offchainMessage(publicKey: Uint8Array, message: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16LE(message.length);
  return Buffer.concat([
    SIGNING_DOMAIN,
    Buffer.of(HEADER_VERSION),
    APPLICATION_DOMAIN,
    Buffer.of(formatOf(message), SIGNERS),
    publicKey,
    length,
    message,
  ]);
}

export function signOffchain({ privateKey }: KeyPair, offchain: Uint8Array): Uint8Array {
  return ed25519.sign(offchain, privateKey);
}

/** 0: printable ASCII, 1: UTF-8, 2: UTF-8 that is too long for hardware wallets. */
function formatOf(message: Uint8Array): 0 | 1 | 2 {
  if (message.length > SHORT_BYTES_MAX) return 2;
  return PRINTABLE_ASCII.test(Buffer.from(message).toString('latin1')) ? 0 : 1;
}
