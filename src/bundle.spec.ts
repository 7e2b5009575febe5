import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const BUNDLE = fileURLToPath(new URL('./bundle.ts', import.meta.url));
const SERVICE = `
exports.name = 'service';
const part = require('./node_modules/part.cjs');
exports.answer = () => part.answer() + ' in ' + require('node:path').basename(__dirname);
`;
const PART = `
const service = require('../service.cjs');
exports.answer = () => 'part of ' + service.name;
`;

describe('the bundle', () => {
  let built: string;
  let folder: string;
  beforeAll(async () => {
    built = await mkdtemp(join(tmpdir(), 'tradepost-bundle-'));
    const bundle = await rolldown({ input: BUNDLE, platform: 'node' });
    await bundle.write({ file: join(built, 'bundle.mjs'), format: 'esm' });
    await bundle.close();
  });
  afterAll(() => rm(built, { recursive: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-bundle-'));
    await writeFile(join(folder, 'service.cjs'), SERVICE);
    await mkdir(join(folder, 'node_modules'));
    await writeFile(join(folder, 'node_modules/part.cjs'), PART);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** In a process of its own: what is compiled is a matter of the process. Answers what the code printed. */
  function run(code: string): string {
    const program = `
      import { rmSync } from 'node:fs';
      import { Bundle } from ${JSON.stringify(join(built, 'bundle.mjs'))};
      const bundle = Bundle.in(${JSON.stringify(folder)}, ${JSON.stringify(join(folder, 'cache'))});
      ${code}`;
    return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    }).trim();
  }

  const ANSWER = 'console.log(bundle.load().answer());';

  /** The files of compiled code, by name. */
  async function kept(): Promise<ReadonlyMap<string, string>> {
    const cache = join(folder, 'cache');
    const versions = await readdir(cache).catch(() => []);
    const files = new Map<string, string>();
    for (const version of versions)
      for (const name of await readdir(join(cache, version))) files.set(name, join(cache, version, name));
    return files;
  }

  it('is none where the folder has none', async () => {
    await rm(join(folder, 'service.cjs'));
    expect(run('console.log(bundle);')).toBe('null');
  });

  it('runs each file once, also where two need each other', () => {
    expect(run(`${ANSWER} console.log(bundle.load() === bundle.load());`)).toBe(
      `part of service in ${basename(folder)}\ntrue`,
    );
  });

  it('keeps what it compiled, and compiles it no more', async () => {
    expect(run(`${ANSWER} bundle.keep();`)).toContain('part of service');
    const files = await kept();
    expect([...files.keys()].sort()).toEqual(['part', 'service']);
    // What was taken from there is not kept again.
    const remove = [...files.values()].map((path) => `rmSync(${JSON.stringify(path)});`).join(' ');
    expect(run(`${ANSWER} ${remove} bundle.keep();`)).toContain('part of service');
    expect((await kept()).size).toBe(0);
  });

  it('runs no code of another source, though as long', async () => {
    run(`${ANSWER} bundle.keep();`);
    const path = (await kept()).get('part')!;
    const before = await readFile(path);
    await writeFile(join(folder, 'node_modules/part.cjs'), PART.replace('part of', 'bits of'));
    expect(run(`${ANSWER} bundle.keep();`)).toContain('bits of service');
    expect(await readFile(path)).not.toEqual(before);
  });

  it.each([
    ['cut off', (whole: Buffer) => whole.subarray(0, whole.length - 7)],
    ['empty', () => Buffer.alloc(0)],
    ['damaged', (whole: Buffer) => Buffer.from(whole).fill(0x5a, whole.length - 200, whole.length - 100)],
  ])('runs no code of a file that is %s, and replaces it', async (_how, damage) => {
    run(`${ANSWER} bundle.keep();`);
    const path = (await kept()).get('service')!;
    const whole = await readFile(path);
    await writeFile(path, damage(whole));
    expect(run(`${ANSWER} bundle.keep();`)).toContain('part of service');
    expect((await readFile(path)).length).toBe(whole.length);
  });

  it('runs as well where nothing can be kept', async () => {
    await writeFile(join(folder, 'cache'), 'a file, not a folder');
    expect(run(`${ANSWER} bundle.keep(); console.log('done');`)).toMatch(/part of service[^]*done/);
  });

  it('names the lines of its sources in stacks', async () => {
    const source = join(folder, 'source.ts');
    await writeFile(
      source,
      'interface Unused {}\n\nexport function fail(): never {\n  throw new TypeError("no");\n}\n',
    );
    const bundle = await rolldown({ input: source });
    await bundle.write({ file: join(folder, 'service.cjs'), format: 'cjs', sourcemap: true });
    await bundle.close();
    const stack = run('try { bundle.load().fail(); } catch (error) { console.log(error.stack); }');
    expect(stack).toMatch(/^TypeError: no\n {4}at (?:exports\.)?\w*\.?fail \(.*\/source\.ts:4:9\)\n/);
    expect(stack).not.toContain('service.cjs');
  });
});
