import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bitstampFormat } from './bitstamp-format.js';
import { type FlowFormat, FlowFormatError, type RecordedFlow } from './recorded-flow.js';

const FLOW_FORMATS: readonly FlowFormat[] = [bitstampFormat];

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Reads a recording, plain or gzipped. Throws FlowFormatError where no format knows it. */
export async function readFlow(path: string): Promise<RecordedFlow> {
  const bytes = await readFile(path);
  const isGzipped = bytes.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
  const lines = (isGzipped ? gunzipSync(bytes) : bytes).toString('utf8').trimEnd().split('\n');
  const format = FLOW_FORMATS.find((candidate) => candidate.recognizes(lines[0]!));
  if (format === undefined) {
    const names = FLOW_FORMATS.map(({ name }) => name).join(', ');
    throw new FlowFormatError(`${path} is of no known format (${names}).`);
  }
  return { name: basename(path), ...format.read(lines) };
}
