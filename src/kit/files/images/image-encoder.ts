import { Injectable } from '@nestjs/common';
import type { Sharp } from 'sharp';
import { VALIDATION_FAILED } from '../../http/error-codes.js';
import { ApiError } from '../../http/errors.js';
import { presentOwner } from '../../turns/owner.js';
import { TurnQueue } from '../../turns/turn-queue.js';
import type { ImageExtension } from './image-name.js';

/** All frames of an animation together. */
export const PIXELS_MAX = 50_000_000;

/** Decoding takes a thread for up to seconds and hundreds of megabytes. */
const BOUNDS = { runningMax: 2, ownerRunningMax: 1, waitingMax: 64, ownerWaitingMax: 8 };
const WORK_MAX_S = 20;

/** Minor faults are tolerated, such as bytes behind the end: the image is re-encoded anyway. */
const READING = { animated: true, failOn: 'error' } as const;

/** Enough of a file to detect its type. */
const SNIFFED_BYTES = 4_100;

interface Format {
  readonly extension: ImageExtension;
  /** The name that libvips, which detects the type itself, must report too. */
  readonly name: string;
  readonly encode: (image: Sharp) => Sharp;
}

const PNG: Format = { extension: 'png', name: 'png', encode: (image) => image.png() };
const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['image/png', PNG],
  ['image/apng', PNG],
  ['image/jpeg', { extension: 'jpg', name: 'jpeg', encode: (image) => image.jpeg({ quality: 85 }) }],
  ['image/gif', { extension: 'gif', name: 'gif', encode: (image) => image.gif({ effort: 2 }) }],
  ['image/webp', { extension: 'webp', name: 'webp', encode: (image) => image.webp({ effort: 2 }) }],
]);

export interface EncodedImage {
  readonly extension: ImageExtension;
  readonly content: Buffer;
}

/**
 * Makes uploaded images safe to serve: their type is detected from their bytes, and they are re-encoded, which removes
 * metadata (position, camera, comments) and anything hidden in the file. The EXIF orientation is applied.
 */
@Injectable()
export class ImageEncoder {
  private readonly turns = new TurnQueue(BOUNDS);

  /**
   * Encodes a PNG, JPEG, GIF or WebP image in its own format. Rejects with `validation_failed` (400) for
   * anything else, broken images and those of over 50 megapixels; with `rate_limited` (429) where too many
   * images are waiting.
   */
  async encode(upload: Buffer): Promise<EncodedImage> {
    const { fileTypeFromBuffer } = await import('file-type');
    const type = await fileTypeFromBuffer(upload.subarray(0, SNIFFED_BYTES));
    const format = FORMATS.get(type?.mime ?? '');
    if (format === undefined) throw refusal('must be a PNG, JPEG, GIF or WebP image');
    const content = await this.turns.take(presentOwner(), () => draw(upload, format));
    return { extension: format.extension, content };
  }
}

async function draw(upload: Buffer, format: Format): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  // Checks the header before decoding: a small file may declare an enormous image.
  const header = await orRefuse(() => sharp(upload, { ...READING, limitInputPixels: false }).metadata());
  const pages = header.pages ?? 1;
  const pixels = header.width * (header.pageHeight ?? header.height) * pages;
  if (pixels > PIXELS_MAX) throw refusal(`must have at most ${PIXELS_MAX / 1e6} megapixels`);
  if (header.format !== format.name) throw refusal('must be one image and nothing else');
  const image = sharp(upload, { ...READING, limitInputPixels: PIXELS_MAX });
  // Frames of an animation are stacked vertically, so rotation would mix them up.
  const upright = pages === 1 ? image.autoOrient() : image;
  return orRefuse(() => format.encode(upright).timeout({ seconds: WORK_MAX_S }).toBuffer());
}

async function orRefuse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusal('must be an image that is whole and can be read', error);
  }
}

function refusal(problem: string, cause?: unknown): ApiError {
  return new ApiError(VALIDATION_FAILED, `Send another file: it ${problem}.`, {
    details: [{ field: 'file', message: `file ${problem}` }],
    cause,
  });
}
