/**
 * The form of an archive's file: gzip members (RFC 1952), each of some whole lines, so that one line is read without
 * inflating all before it. Whatever reads gzip takes them as one text. The last member is empty; its extra field is an
 * index of the others, as `docs/journal.md` describes it.
 */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** Where a member begins: the sequence of its first line, and the place of its first byte in the file. */
export interface MemberMark {
  readonly sequence: number;
  readonly offset: number;
}

/** All members in their order; the last mark is where they end: the sequence after them, and the index itself. */
export type MemberIndex = readonly MemberMark[];

/** Inflating more than this for one line would hold others up. Only a commit of this size gives such a member. */
const MEMBER_BYTES_MAX = 64 * 2 ** 20;
/** Gzip makes incompressible bytes a little longer. */
const PACKED_BYTES_MAX = MEMBER_BYTES_MAX + 2 ** 20;

/** Deflate with an extra field, no time, no name, an unknown system. */
const INDEX_HEADER = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff]);
const SUBFIELD = 'TP';
/** An empty block of deflate, and the checksum and the length of nothing. */
const INDEX_END = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const MARK_BYTES = 16;
const EXTRA_LENGTH_BYTES = 2;
const SUBFIELD_HEADER_BYTES = 4;
const EXTRA_BYTES_MAX = 2 ** 16 - 1;
const INDEX_BYTES_MIN =
  INDEX_HEADER.length + EXTRA_LENGTH_BYTES + SUBFIELD_HEADER_BYTES + 2 * MARK_BYTES + INDEX_END.length;
const INDEX_BYTES_MAX = INDEX_HEADER.length + EXTRA_LENGTH_BYTES + EXTRA_BYTES_MAX + INDEX_END.length;

const deflateMember = promisify(gzip);
const inflateMember = promisify(gunzip);

/** Writes the lines of one file as members, and their index at the end. */
export class MemberWriter {
  /** Of all lines, before compression. */
  textBytes = 0;
  private readonly marks: MemberMark[] = [];
  private offset = 0;
  private lines: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly bytesPerMember: number,
  ) {}

  /** Sequences rise from line to line. */
  async add(sequence: number, line: string): Promise<void> {
    if (this.lines.length === 0) this.marks.push({ sequence, offset: this.offset });
    const bytes = Buffer.from(line);
    this.lines.push(bytes);
    this.bytes += bytes.length;
    this.textBytes += bytes.length;
    if (this.bytes >= this.bytesPerMember) await this.endMember();
  }

  /** `sequence` is the one after all lines. Nothing is added afterwards. */
  async end(sequence: number): Promise<void> {
    if (this.lines.length > 0) await this.endMember();
    await this.file.appendFile(encodeIndex([...this.marks, { sequence, offset: this.offset }]));
  }

  private async endMember(): Promise<void> {
    const member = await deflateMember(Buffer.concat(this.lines));
    await this.file.appendFile(member);
    this.offset += member.length;
    this.lines = [];
    this.bytes = 0;
  }
}

/** Null where the file has none: an earlier version wrote it, or its end is missing. */
export async function readIndex(file: FileHandle, sizeBytes: number): Promise<MemberIndex | null> {
  const length = Math.min(sizeBytes, INDEX_BYTES_MAX);
  if (length < INDEX_BYTES_MIN) return null;
  return decodeIndex(await readExactly(file, sizeBytes - length, length), sizeBytes);
}

/**
 * The text of the member that has a sequence. Nothing of it is checked but its length and its checksum.
 * @throws where there is no such member, or what stands there is none
 */
export async function readArchiveMember(
  file: FileHandle,
  index: MemberIndex,
  sequence: number,
): Promise<Buffer> {
  const place = index.findLastIndex((mark) => mark.sequence <= sequence);
  const [begin, end] = [index[place], index[place + 1]];
  if (begin === undefined || end === undefined)
    throw new Error('the index of the file does not go to the sequence');
  const length = end.offset - begin.offset;
  if (length > PACKED_BYTES_MAX) throw new Error('the member is larger than any that is read');
  const member = await readExactly(file, begin.offset, length);
  return inflateMember(member, { maxOutputLength: MEMBER_BYTES_MAX });
}

function encodeIndex(marks: MemberIndex): Buffer {
  const content = Buffer.alloc(marks.length * MARK_BYTES);
  for (const [place, { sequence, offset }] of marks.entries()) {
    content.writeBigUInt64LE(BigInt(sequence), place * MARK_BYTES);
    content.writeBigUInt64LE(BigInt(offset), place * MARK_BYTES + 8);
  }
  const lengths = Buffer.alloc(EXTRA_LENGTH_BYTES + SUBFIELD_HEADER_BYTES);
  // Throws beyond 65,535 bytes, which are more than 4,000 members.
  lengths.writeUInt16LE(SUBFIELD_HEADER_BYTES + content.length, 0);
  lengths.write(SUBFIELD, EXTRA_LENGTH_BYTES, 'latin1');
  lengths.writeUInt16LE(content.length, EXTRA_LENGTH_BYTES + SUBFIELD.length);
  return Buffer.concat([INDEX_HEADER, lengths, content, INDEX_END]);
}

/** `tail` is the end of the file, and the end of that is the index, which begins where its last mark says. */
function decodeIndex(tail: Buffer, sizeBytes: number): MemberIndex | null {
  const marksEnd = tail.length - INDEX_END.length;
  const bytes = sizeBytes - Number(tail.readBigUInt64LE(marksEnd - 8));
  if (bytes < INDEX_BYTES_MIN || bytes > tail.length) return null;
  const begin = tail.length - bytes;
  const marksBegin = begin + INDEX_HEADER.length + EXTRA_LENGTH_BYTES + SUBFIELD_HEADER_BYTES;
  if ((marksEnd - marksBegin) % MARK_BYTES !== 0) return null;
  const marks: MemberMark[] = [];
  for (let at = marksBegin; at < marksEnd; at += MARK_BYTES) {
    const mark = {
      sequence: Number(tail.readBigUInt64LE(at)),
      offset: Number(tail.readBigUInt64LE(at + 8)),
    };
    const before = marks.at(-1);
    if (before !== undefined && (mark.sequence <= before.sequence || mark.offset <= before.offset))
      return null;
    marks.push(mark);
  }
  // What gives the same bytes has no other fault.
  return encodeIndex(marks).equals(tail.subarray(begin)) ? marks : null;
}

async function readExactly(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
  if (bytesRead < length) throw new Error('the file is shorter than it says');
  return buffer;
}
