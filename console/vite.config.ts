import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { de } from './src/words/de/index.js';
import { en } from './src/words/en/index.js';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** As in the package for browsers: see rolldown.config.mjs. */
const cryptoOfBrowsers: Plugin = {
  name: 'crypto-of-browsers',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id === './crypto.js' && /[/]src[/]domain[/]proof[/]/.test(importer ?? '')
      ? pathOf('../packages/verify/src/browser-crypto.ts')
      : null,
};

/** The words go beside the scripts, where the service reads them: it lays over them what the operator says in other words. */
const words: Plugin = {
  name: 'words',
  generateBundle() {
    for (const [language, catalog] of Object.entries({ en, de })) {
      this.emitFile({ type: 'asset', fileName: `words/${language}.json`, source: JSON.stringify(catalog) });
    }
  },
};

export default defineConfig({
  // The page has a <base>, which the service sets to where it is served.
  base: './',
  resolve: {
    alias: {
      '@tradepost/client': pathOf('../packages/client/src/index.ts'),
      '@tradepost/verify': pathOf('../packages/verify/src/proofs.ts'),
    },
  },
  plugins: [cryptoOfBrowsers, words],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: pathOf('../dist/console'),
    emptyOutDir: true,
    // An image in a style would be inline, which the page's policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
});
