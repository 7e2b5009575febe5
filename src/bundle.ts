import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import v8 from 'node:v8';
import { Script } from 'node:vm';
import zlib from 'node:zlib';
import { mapStacks } from './mapped-stacks.js';

/** What `rolldown.config.mjs` makes of `service.ts`. */
const ENTRY = 'service.cjs';

/** Before Node 20.15 there is none, and nothing is kept. */
const crc32 = (zlib as Partial<typeof zlib>).crc32;
/** The checksums of the source and of the code. */
const HEADER_BYTES = 8;

/**
 * Runs the bundle with the code that V8 compiled in an earlier run. Node's own cache has only what is compiled while a
 * file is loaded; this one has every function that was called since, which each start would spend a sixth of its time on.
 */
export class Bundle {
  private readonly loaded = new Map<string, object>();
  /** Those of which nothing was kept, by their paths, until `keep`. */
  private compiled: Map<string, { readonly source: Buffer; readonly script: Script }> | null = new Map();
  private readonly cacheFolder: string;
  private readonly requireOfNode: NodeJS.Require;

  private constructor(
    private readonly folder: string,
    cacheFolder: string,
  ) {
    // V8 refuses code that other versions or flags have made.
    const tag = v8.cachedDataVersionTag().toString(16);
    this.cacheFolder = join(cacheFolder, `bundle-${process.version}-${process.arch}-${tag}`);
    this.requireOfNode = createRequire(join(folder, ENTRY));
    mapStacks((filename) => (this.isOurs(filename) ? `${filename}.map` : null));
  }

  /** Null where the folder has none. */
  static in(folder: string, cacheFolder: string): Bundle | null {
    return existsSync(join(folder, ENTRY)) ? new Bundle(folder, cacheFolder) : null;
  }

  /** The exports of a file of the bundle, which runs at the first call. */
  load(path: string = ENTRY): object {
    const known = this.loaded.get(path);
    if (known !== undefined) return known;
    const module = { exports: {} };
    this.loaded.set(path, module.exports);
    const filename = join(this.folder, path);
    const run = this.compile(path, filename).runInThisContext() as (...names: unknown[]) => void;
    const require = Object.assign(
      (name: string): unknown =>
        name.startsWith('.') ? this.load(posix.join(posix.dirname(path), name)) : this.requireOfNode(name),
      { resolve: this.requireOfNode.resolve },
    );
    run(module.exports, require, module, filename, dirname(filename));
    return module.exports;
  }

  /**
   * Keeps what is compiled by now of files of which nothing was kept, for the next start. It blocks for some tenths of a
   * second.
   */
  keep(): void {
    const { compiled } = this;
    this.compiled = null;
    if (crc32 === undefined || compiled === null || compiled.size === 0) return;
    try {
      mkdirSync(this.cacheFolder, { recursive: true, mode: 0o700 });
      for (const [path, { source, script }] of compiled) {
        const code = script.createCachedData();
        const header = Buffer.alloc(HEADER_BYTES);
        header.writeUInt32LE(crc32(source), 0);
        header.writeUInt32LE(crc32(code), 4);
        const unfinished = `${this.keptAt(path)}.${process.pid}`;
        writeFileSync(unfinished, Buffer.concat([header, code]), { mode: 0o600 });
        renameSync(unfinished, this.keptAt(path));
      }
    } catch {
      // A folder that this user may not write to: the next start compiles again.
    }
  }

  private compile(path: string, filename: string): Script {
    const source = readFileSync(filename);
    const cachedData = this.kept(path, source);
    const script = new Script(
      // On one line, so that lines stay where they are.
      `(function (exports, require, module, __filename, __dirname) { ${source.toString()}\n})`,
      { filename, ...(cachedData !== null && { cachedData }) },
    );
    if (script.cachedDataRejected !== false) this.compiled?.set(path, { source, script });
    return script;
  }

  /** Null where there is none, or none of this source, or not all of it. */
  private kept(path: string, source: Buffer): Buffer | null {
    if (crc32 === undefined) return null;
    let file: Buffer;
    try {
      file = readFileSync(this.keptAt(path));
    } catch {
      return null;
    }
    const code = file.subarray(HEADER_BYTES);
    const isOfSource = file.length > HEADER_BYTES && file.readUInt32LE(0) === crc32(source);
    return isOfSource && file.readUInt32LE(4) === crc32(code) ? code : null;
  }

  /** The maps of packages are five times ours, and are left out. */
  private isOurs(filename: string): boolean {
    return dirname(filename) === this.folder;
  }

  private keptAt(path: string): string {
    return join(this.cacheFolder, posix.basename(path, '.cjs'));
  }
}
