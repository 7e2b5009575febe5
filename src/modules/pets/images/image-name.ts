import { randomBytes } from 'node:crypto';

/** What is stored, by the end of its name. */
const MEDIA_TYPES = { png: 'image/png', jpg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' } as const;

export type ImageExtension = keyof typeof MEDIA_TYPES;

const IMAGE_NAME = /^[0-9a-f]{32}\.(png|jpg|gif|webp)$/;
const IMAGE_PATH = '/pet/images/';

/** A name that nobody can guess, for an image that is about to be stored. */
export function newImageName(extension: ImageExtension): string {
  return `${randomBytes(16).toString('hex')}.${extension}`;
}

/** Whether the service could have made this name. */
export function isImageName(text: string): boolean {
  return IMAGE_NAME.test(text);
}

export function mediaTypeOf(imageName: string): string {
  return MEDIA_TYPES[imageName.slice(imageName.lastIndexOf('.') + 1) as ImageExtension];
}

export function imageUrlOf(publicUrl: string, imageName: string): string {
  return `${publicUrl}${IMAGE_PATH}${imageName}`;
}

/**
 * The image that an address of this service names, under whatever public address it was once given out;
 * `undefined` for every other address.
 */
export function imageNameIn(url: string): string | undefined {
  const at = url.lastIndexOf(IMAGE_PATH);
  if (at < 0) return undefined;
  const name = url.slice(at + IMAGE_PATH.length);
  return isImageName(name) ? name : undefined;
}
