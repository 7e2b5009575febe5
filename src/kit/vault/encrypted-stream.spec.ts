import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { decrypting, encrypting } from './encrypted-stream.js';

const KEY = randomBytes(32);
const SEALED_PIECE_BYTES = 64 * 1024 + 28;

function through(content: Buffer, transform: ReturnType<typeof encrypting>): Promise<Buffer> {
  const chunks = [content.subarray(0, 10), content.subarray(10, 100_000), content.subarray(100_000)];
  const collected = buffer(transform);
  return Promise.all([collected, pipeline(Readable.from(chunks), transform)]).then(([bytes]) => bytes);
}

const encrypted = (content: Buffer, context = 'file:1') => through(content, encrypting(KEY, context));
const decrypted = (content: Buffer, context = 'file:1') => through(content, decrypting(KEY, context));

describe('an encrypted stream', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 200_000, 131_072])('brings %i bytes back', async (size) => {
    const content = randomBytes(size);
    const sealed = await encrypted(content);
    expect(sealed.includes(content.subarray(0, 16)) && size >= 16).toBe(false);
    expect((await decrypted(sealed)).equals(content)).toBe(true);
  });

  it('opens under its own context and key alone', async () => {
    const sealed = await encrypted(randomBytes(100));
    await expect(decrypted(sealed, 'file:2')).rejects.toThrow();
    await expect(through(sealed, decrypting(randomBytes(32), 'file:1'))).rejects.toThrow();
  });

  it('notices pieces that were cut off, exchanged, or changed', async () => {
    const sealed = await encrypted(randomBytes(3 * 65_536));
    const pieces = [0, 1, 2].map((i) =>
      sealed.subarray(i * SEALED_PIECE_BYTES, (i + 1) * SEALED_PIECE_BYTES),
    );
    await expect(decrypted(Buffer.concat(pieces.slice(0, 2)))).rejects.toThrow();
    await expect(decrypted(Buffer.concat([pieces[1]!, pieces[0]!, pieces[2]!]))).rejects.toThrow();
    sealed[70_000]! ^= 1;
    await expect(decrypted(sealed)).rejects.toThrow();
  });
});
