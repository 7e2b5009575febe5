import type { Logo } from './branding.js';
import { type BrandingFolder, refused } from './branding-folder.js';

const BYTES_MAX = 256 * 1024;
const SIDE_MAX = 4_096;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** What runs, loads or links: browsers do none of it in an image, but the file also has an address of its own. */
const ACTIVE =
  /<\s*(?:script|foreignObject|iframe|use|image|a|animate|set)\b|\son[a-z]+\s*=|javascript:|<!(?:DOCTYPE|ENTITY)|@import|url\(\s*['"]?(?!#)/i;

/** `logo.svg` or `logo.png`, if there is one. Throws a StartRefusal for what is none. */
export function readLogo(folder: BrandingFolder): Logo | null {
  const names = folder.names().filter((name) => name === 'logo.svg' || name === 'logo.png');
  if (names.length > 1) throw refused('logo.svg', 'there is a logo.png, too: keep one of them');
  const [name] = names;
  if (name === undefined) return null;
  const bytes = folder.read(name, BYTES_MAX);
  if (name === 'logo.png') {
    requirePng(name, bytes);
    return { name, bytes, contentType: 'image/png' };
  }
  const text = folder.text(name, BYTES_MAX);
  if (!/^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text)) {
    throw refused(name, 'must be an image: its first element is no <svg>');
  }
  const active = ACTIVE.exec(text);
  if (active !== null)
    throw refused(name, `must not have "${active[0].trim()}": shapes and their colours do`);
  return { name, bytes, contentType: 'image/svg+xml' };
}

function requirePng(name: string, bytes: Buffer): void {
  if (!bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE) || bytes.length < 24) {
    throw refused(name, 'is no PNG');
  }
  const sides = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (sides.some((side) => side < 1 || side > SIDE_MAX)) {
    throw refused(name, `must have sides of 1 to ${SIDE_MAX} pixels`);
  }
}
