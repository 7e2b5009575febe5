import { isImageName } from '../../../platform/files/images/image-name.js';

const IMAGE_PATH = '/pet/images/';

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
