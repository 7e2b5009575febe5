import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  // The page has a <base>, which the service sets to where it is served.
  base: './',
  resolve: { alias: { '@tradepost/client': pathOf('../packages/client/src/index.ts') } },
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
