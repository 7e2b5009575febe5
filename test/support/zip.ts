/** Reads a zip by its central directory, which names every file with its place: enough for tests, and not our writer. */
import { crc32, inflateRawSync } from 'node:zlib';

const END = 0x0605_4b50;
const ENTRY = 0x0201_4b50;
const DEFLATED = 8;

/** The files of a zip by their names. Throws for one that is damaged or cut short. */
export function filesOfZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || zip.readUInt32LE(end) !== END) throw new Error('the zip has no end');
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let entry = zip.readUInt16LE(end + 10); entry > 0; entry--) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new Error('the zip has another entry than it says');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) =>
      zip.readUInt16LE(at + place),
    );
    const name = zip.subarray(at + 46, at + 46 + nameLength!).toString('utf8');
    const header = zip.readUInt32LE(at + 42);
    const begin = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    const stored = zip.subarray(begin, begin + zip.readUInt32LE(at + 20));
    const content = zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(stored) : stored;
    if (crc32(content) !== zip.readUInt32LE(at + 16)) throw new Error(`${name} is damaged`);
    files.set(name, content);
    at += 46 + nameLength! + extraLength! + commentLength!;
  }
  return files;
}
