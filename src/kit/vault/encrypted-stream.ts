/**
 * Content of any length under one key, in pieces of AES-256-GCM: memory holds one piece. Each piece is bound to its
 * place and to whether it is the last one, so pieces cannot be moved, repeated or cut off unnoticed.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { decrypt, encrypt } from './encryption.js';

const PIECE_BYTES = 64 * 1024;
/** What a piece takes encrypted: nonce and tag besides. */
const SEALED_PIECE_BYTES = PIECE_BYTES + 28;

/** Encrypts; `context` is authenticated, and needed again to decrypt. */
export function encrypting(key: Uint8Array, context: string): Transform {
  return new Pieces(PIECE_BYTES, (piece, place) => encrypt(key, piece, boundTo(context, place)));
}

/** Decrypts what `encrypting` made. Fails at the first piece that is not what was encrypted there. */
export function decrypting(key: Uint8Array, context: string): Transform {
  return new Pieces(SEALED_PIECE_BYTES, (piece, place) => decrypt(key, piece, boundTo(context, place)));
}

interface Place {
  readonly index: number;
  readonly isLast: boolean;
}

function boundTo(context: string, { index, isLast }: Place): Buffer {
  return Buffer.from(`${context}:${index}:${isLast ? 'last' : 'more'}`, 'utf8');
}

/** Cuts a stream into pieces of one size, the last of which may be shorter, and turns each into another. */
class Pieces extends Transform {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private index = 0;

  constructor(
    private readonly sizeBytes: number,
    private readonly turn: (piece: Buffer, place: Place) => Buffer,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.waiting.push(chunk);
    this.waitingBytes += chunk.length;
    // A piece is known not to be the last one only once there is more.
    this.attempt(done, () => {
      if (this.waitingBytes <= this.sizeBytes) return;
      const content = this.takeWaiting();
      let at = 0;
      for (; content.length - at > this.sizeBytes; at += this.sizeBytes) {
        this.pushPiece(content.subarray(at, at + this.sizeBytes), false);
      }
      this.waiting = [content.subarray(at)];
      this.waitingBytes = content.length - at;
    });
  }

  override _flush(done: TransformCallback): void {
    this.attempt(done, () => this.pushPiece(this.takeWaiting(), true));
  }

  private takeWaiting(): Buffer {
    return Buffer.concat(this.waiting);
  }

  private pushPiece(piece: Buffer, isLast: boolean): void {
    this.push(this.turn(piece, { index: this.index++, isLast }));
  }

  private attempt(done: TransformCallback, work: () => void): void {
    try {
      work();
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}
