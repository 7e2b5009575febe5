/**
 * `npm run package`: makes what is published, in `dist/package` or in the given folder, of what `npm run build` has made. It
 * depends on nothing but what cannot be bundled. Everything else is in its bundles: one of the whole service, and one for
 * plugins and own mains, in place of `dist/src`. The latter leaves out what they share with the service by identity, such
 * as Nest's classes: those packages are peers, which npm installs with a plugin that asks for them.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { SHARED_PACKAGES } from '../dist/src/kit/module/shared-packages.js';
import { service } from '../rolldown.config.mjs';

const FOLDER = resolve(process.argv[2] ?? 'dist/package');

/** Compiled for one platform, or with files beside their code. */
const NATIVE = ['@node-rs/argon2', 'sharp'];

const SWAGGER_UI_FILES = [
  'favicon-32x32.png',
  'oauth2-redirect.html',
  'oauth2-redirect.js',
  'swagger-ui-bundle.js',
  'swagger-ui.css',
];

/** @param {import('rolldown').RolldownOptions} options */
async function bundle({ output, ...input }) {
  const build = await rolldown(input);
  await build.write(output);
  await build.close();
}

const own = { dir: join(FOLDER, 'dist/src'), format: 'esm', keepNames: true };
const isShared = new RegExp(`^(?:${SHARED_PACKAGES.join('|')})(?:/|$)`);

await rm(FOLDER, { recursive: true, force: true });
await bundle({
  ...service,
  input: {
    index: 'dist/src/index.js',
    start: 'dist/src/start.js',
    'testing/index': 'dist/src/testing/index.js',
    'testing/shifted-date': 'dist/src/testing/shifted-date.js',
  },
  external: [...service.external, isShared],
  output: { ...own, chunkFileNames: '[name].js' },
});

const ofSwaggerUi = dirname(
  createRequire(createRequire(import.meta.url).resolve('@nestjs/swagger')).resolve(
    'swagger-ui-dist/package.json',
  ),
);
for (const name of SWAGGER_UI_FILES) await cp(join(ofSwaggerUi, name), join(FOLDER, 'dist/swagger-ui', name));
const withoutCache = (/** @type {string} */ path) =>
  !path.includes('.compile-cache') && !path.endsWith('.map');
await cp('dist/bundle', join(FOLDER, 'dist/bundle'), { recursive: true, filter: withoutCache });
// Starts as a thread of either.
await cp('dist/bundle/cut-worker.js', join(own.dir, 'cut-worker.js'));
await cp('dist/console', join(FOLDER, 'dist/console'), { recursive: true });
await cp('templates', join(FOLDER, 'templates'), { recursive: true });
await cp('dist/src', own.dir, {
  recursive: true,
  filter: (path) => !/\.[^.]+$/.test(path) || path.endsWith('.d.ts'),
});

const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const of = (/** @type {readonly string[]} */ names) =>
  Object.fromEntries(names.map((name) => [name, manifest.dependencies[name]]));
const { name, version, description, license, type, exports, files, engines, optionalDependencies } = manifest;
await mkdir(FOLDER, { recursive: true });
await writeFile(
  join(FOLDER, 'package.json'),
  `${JSON.stringify(
    {
      ...{ name, version, description, license, private: true, type, exports, engines },
      bin: { tradepost: 'dist/bundle/main.js' },
      files: [...files, 'dist/bundle', 'dist/swagger-ui'],
      dependencies: of(NATIVE),
      optionalDependencies,
      peerDependencies: of(SHARED_PACKAGES),
      peerDependenciesMeta: Object.fromEntries(SHARED_PACKAGES.map((shared) => [shared, { optional: true }])),
    },
    null,
    2,
  )}\n`,
);
