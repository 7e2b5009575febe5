import { existsSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

export interface ConsoleFile {
  /** Below the console's folder, with slashes: `assets/index-B1x.js`. */
  readonly name: string;
  readonly path: string;
  readonly contentType: string;
}

export function contentTypeOf(name: string): string | undefined {
  return CONTENT_TYPES[extname(name)];
}

/** The built console's files; none where it is not built. Files of other kinds, such as source maps, are left out. */
export function consoleFiles(folder: string): readonly ConsoleFile[] {
  if (!existsSync(join(folder, 'index.html'))) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const contentType = contentTypeOf(entry.name);
    if (!entry.isFile() || contentType === undefined) return [];
    const path = join(entry.parentPath, entry.name);
    return [{ name: relative(folder, path).split(sep).join('/'), path, contentType }];
  });
}
