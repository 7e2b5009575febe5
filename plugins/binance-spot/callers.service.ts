import { Injectable } from '@nestjs/common';
import { SignedKeys, type Signer } from '../../src/index.js';
import { BinanceError, illegalCharacters, invalidParameter, mandatory } from './binance-error.js';
import type { Parameters } from './parameters.js';

const RECV_WINDOW_DEFAULT_MS = 5_000;
const RECV_WINDOW_MAX_MS = 60_000;
/** How far the clock of a client may be ahead. */
const AHEAD_MS_MAX = 1_000;
const HEX_SIGNATURE = /^[0-9a-fA-F]{64}$/;
/** 64 bytes. */
const BASE64_SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;
const API_KEY = /^[\x21-\x7e]{1,128}$/;

/** Who signed a request, by a key with `signing`. */
@Injectable()
export class CallersService {
  constructor(private readonly keys: SignedKeys) {}

  /**
   * Throws the dialect's errors for what is old, and for what nobody signed; those of `SignedKeys` otherwise. Signatures of
   * the dialect are over the parameters alone, so each is bound to `use` until it is old.
   */
  async signerOf(
    parameters: Parameters,
    apiKey: string | undefined,
    signedText: string,
    address: string,
    use: string,
  ): Promise<Signer> {
    if (apiKey === undefined) throw new BinanceError(-2014, 'API-key format invalid.', 401);
    if (!API_KEY.test(apiKey)) throw new BinanceError(-2014, 'API-key format invalid.', 401);
    const signature = parameters.text('signature');
    if (signature === undefined) throw mandatory('signature');
    const goodUntilMs = requireRecent(parameters, Date.now());
    return this.keys.signerOf({
      apiKey,
      signed: Buffer.from(signedText, 'utf8'),
      signature: bytesOf(signature),
      address,
      use: { name: `binance ${use}`, goodUntilMs },
    });
  }
}

/** When it is too old. Throws -1021 for what was signed too long ago, or is of a time to come. */
export function requireRecent(parameters: Parameters, nowMs: number): number {
  const timestamp = parameters.integer('timestamp');
  if (timestamp === undefined) throw mandatory('timestamp');
  const recvWindow = recvWindowOf(parameters);
  if (recvWindow > RECV_WINDOW_MAX_MS) throw new BinanceError(-1131, 'recvWindow must be less than 60000.');
  if (timestamp >= nowMs + AHEAD_MS_MAX) {
    throw new BinanceError(-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  }
  if (nowMs - timestamp > recvWindow) {
    throw new BinanceError(-1021, 'Timestamp for this request is outside of the recvWindow.');
  }
  return timestamp + recvWindow;
}

/** Reads that bots send at the same moment have the same parameters and so the same signature: they are one use. */
export const READS = 'reads';

/** Milliseconds, of which clients may name thousandths. */
function recvWindowOf(parameters: Parameters): number {
  const text = parameters.decimal('recvWindow');
  if (text === undefined) return RECV_WINDOW_DEFAULT_MS;
  if (!/^\d{1,10}(\.\d{1,3})?$/.test(text)) throw invalidParameter('recvWindow');
  return Number(text);
}

/** HMAC-SHA-256 is sent in hex, Ed25519 in Base64. */
function bytesOf(signature: string): Buffer {
  if (HEX_SIGNATURE.test(signature)) return Buffer.from(signature, 'hex');
  if (BASE64_SIGNATURE.test(signature)) return Buffer.from(signature, 'base64');
  throw illegalCharacters('signature', '^[A-Fa-f0-9]{64}$');
}
