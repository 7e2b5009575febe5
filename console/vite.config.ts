import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

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

export default defineConfig({
  // The page has a <base>, which the service sets to where it is served.
  base: './',
  resolve: {
    alias: {
      '@tradepost/client': pathOf('../packages/client/src/index.ts'),
      '@tradepost/verify': pathOf('../packages/verify/src/proofs.ts'),
    },
  },
  plugins: [cryptoOfBrowsers],
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
