import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';

/**
 * Makes stacks name the lines of sources, as Node does of what it loads itself; a map is read when a stack first needs it,
 * which few processes do. `mapOf` names the map of a file, or null where it has none.
 */
export function mapStacks(mapOf: (filename: string) => string | null): void {
  const maps = new Map<string, SourceMap | null>();
  const mapFor = (filename: string): SourceMap | null => {
    let map = maps.get(filename);
    if (map === undefined) {
      map = readMap(mapOf(filename));
      maps.set(filename, map);
    }
    return map;
  };
  Error.prepareStackTrace = (error, frames) =>
    [nameOf(error), ...frames.map((frame) => `    at ${inSource(frame, mapFor)}`)].join('\n');
}

function readMap(path: string | null): SourceMap | null {
  if (path === null) return null;
  try {
    const payload = JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload;
    const sources = payload.sources.map((source) => resolve(dirname(path), source));
    return new SourceMap({ ...payload, sources });
  } catch {
    return null;
  }
}

/** With its code where Node has thrown it. */
function nameOf(error: Error): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

/** Node's types leave out that it has a text of its own. */
interface Frame extends NodeJS.CallSite {
  toString(): string;
}

function inSource(frame: Frame, mapFor: (filename: string) => SourceMap | null): string {
  const text = frame.toString();
  const filename = frame.getFileName();
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  if (!filename || line === null || column === null) return text;
  const entry = mapFor(filename)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return text;
  const { originalSource, originalLine, originalColumn } = entry;
  return text.replace(
    `${filename}:${line}:${column}`,
    () => `${originalSource}:${originalLine + 1}:${originalColumn + 1}`,
  );
}
