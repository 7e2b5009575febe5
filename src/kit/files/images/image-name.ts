import { randomBytes } from 'node:crypto';

/** The stored formats, by file extension. */
const MEDIA_TYPES = { png: 'image/png', jpg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' } as const;

export type ImageExtension = keyof typeof MEDIA_TYPES;

export const IMAGE_MEDIA_TYPES = Object.values(MEDIA_TYPES);

const IMAGE_NAME = /^[0-9a-f]{32}\.(png|jpg|gif|webp)$/;

/** An unguessable name for a new image. */
export function newImageName(extension: ImageExtension): string {
  return `${randomBytes(16).toString('hex')}.${extension}`;
}

/** Whether the service could have made this name. */
export function isImageName(text: string): boolean {
  return IMAGE_NAME.test(text);
}

export function mediaTypeOf(imageName: string): (typeof IMAGE_MEDIA_TYPES)[number] {
  return MEDIA_TYPES[imageName.slice(imageName.lastIndexOf('.') + 1) as ImageExtension];
}
