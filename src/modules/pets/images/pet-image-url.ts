import { isImageName } from '../../../kit/files/images/image-name.js';

const IMAGE_PATH = '/pet-images/';
/** Addresses that were given out before the path changed. */
const FORMER_IMAGE_PATH = '/pet/images/';

export function imagePathOf(imageName: string): string {
  return `${IMAGE_PATH}${imageName}`;
}

export function imageUrlOf(publicUrl: string, imageName: string): string {
  return `${publicUrl}${imagePathOf(imageName)}`;
}

/**
 * The image that an address of this service names, under whatever public address it was once given out;
 * `undefined` for every other address.
 */
export function imageNameIn(url: string): string | undefined {
  for (const path of [IMAGE_PATH, FORMER_IMAGE_PATH]) {
    const at = url.lastIndexOf(path);
    const name = url.slice(at + path.length);
    if (at >= 0 && isImageName(name)) return name;
  }
  return undefined;
}
