import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { handleFor } from '../../turns/owner.js';
import { type EncodedImage, ImageEncoder } from './image-encoder.js';

const square = (side: number): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background: '#123456' } })
    .png()
    .toBuffer();

describe('ImageEncoder', () => {
  it('lets 24 large pictures of one person not hold up a photo of another', async () => {
    const encoder = new ImageEncoder();
    const [large, small] = [await square(2_000), await square(20)];
    const encode = (owner: string, image: Buffer): Promise<EncodedImage> =>
      handleFor({ user: { accountOwner: owner } }, () => encoder.encode(image));
    let done = 0;
    const all = Promise.allSettled(
      Array.from({ length: 24 }, () => encode('user:1', large).then(() => done++)),
    );
    expect(await encode('user:2', small)).toMatchObject({ extension: 'png' });
    expect(done).toBeLessThanOrEqual(1);
    const refused = (await all).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(15);
    expect(refused[0]).toMatchObject({ reason: { code: 'rate_limited' } });
  });
});
