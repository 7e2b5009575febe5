import { readFile } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application, RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../../config/config.js';
import { PreparedDocument } from '../prepared-document.js';
import { PreparedDocuments } from '../prepared-documents.js';
import { atPublicAddress } from '../public-address.js';
import { addressOfSupport, logoPath } from '../branding.js';
import { colourRules, hasColours } from '../../words/branding/colours.js';
import type { Texts } from '../../words/texts.js';
import { consoleWords } from './console-words.js';
import { consoleFiles, contentTypeOf } from './console-files.js';
import { listed, type PageOfPlugin } from './console-page.js';

const PAGE = 'index.html';

/** Below it every file's name has a digest of its content. */
const ASSETS = '/console/assets/';

/** The operator's, after the console's own styles. */
const COLOURS = 'colours.css';
/** What each language says, in the operator's words. */
const WORDS = 'words/';

const YEAR_S = 31_536_000;

export interface ConsoleContents {
  /** Where it is built. */
  readonly folder: string;
  readonly pages: readonly PageOfPlugin[];
  /** Names of groups whose pages the console is without. */
  readonly leftOut: readonly string[];
  /** In whose languages and looks it is shown; left out, the page says nothing of them. */
  readonly texts?: Texts | undefined;
}

/**
 * Serves the console, a client like any other, at `/console`, and sends browsers there from `/`. Every path below it
 * that is no file is a page of the console, which reads its path by itself.
 */
export function serveConsole(
  nest: NestExpressApplication,
  config: Config,
  { folder, pages, leftOut, texts }: ConsoleContents,
): void {
  const files = consoleFiles(folder);
  if (files.length === 0) {
    new Logger('Console').warn('The console is not built: "npm run build" builds it.');
    return;
  }
  const documents = nest.get(PreparedDocuments);
  nest.use('/console', documents.takeRead, atPublicAddress(config), consolePolicy(config));
  for (const { name, path, contentType } of files) {
    if (name === PAGE || name.startsWith(WORDS)) continue;
    const isImmutable = `/console/${name}`.startsWith(ASSETS);
    const cacheControl = isImmutable ? `public, max-age=${YEAR_S}, immutable` : undefined;
    const file = new PreparedDocument(contentType, () => readFile(path), { cacheControl });
    documents.serve(nest, `/console/${name}`, file);
  }
  servePages(nest, documents, pages);
  if (texts !== undefined) serveTexts(nest, documents, folder, texts);
  const html = files.find(({ name }) => name === PAGE)!;
  const page = new PreparedDocument(html.contentType, async () =>
    pageOf(await readFile(html.path, 'utf8'), config, { folder, pages, leftOut, texts }),
  );
  documents.serve(nest, '/console', page);
  const express = nest.getHttpAdapter().getInstance() as Application;
  express.get('/console/{*page}', (request, response, next) => {
    // A script that an older page asks for is gone; a page in its place would only puzzle its reader.
    if (request.path.startsWith(ASSETS)) next();
    else return page.serve(request, response, next);
  });
  nest.use(toConsole(config));
}

/** The scripts and styles of plugins' pages, which caches revalidate. */
function servePages(
  nest: NestExpressApplication,
  documents: PreparedDocuments,
  pages: readonly PageOfPlugin[],
): void {
  for (const { plugin, page } of pages) {
    const { script, styles } = listed({ plugin, page });
    for (const [name, file] of [
      [script, page.script],
      [styles, page.styles],
    ] as const) {
      if (name === undefined || file === undefined) continue;
      documents.serve(
        nest,
        `/console/${name}`,
        new PreparedDocument(contentTypeOf(name)!, () => readFile(file)),
      );
    }
  }
}

/** The words of each language, and the operator's colours. */
function serveTexts(
  nest: NestExpressApplication,
  documents: PreparedDocuments,
  folder: string,
  texts: Texts,
): void {
  const [catalog] = consoleWords(folder);
  for (const language of catalog === undefined ? [] : Object.keys(texts.languages)) {
    const words = JSON.stringify(texts.plainOf(catalog!, language));
    const name = `${language}.json`;
    documents.serve(
      nest,
      `/console/${WORDS}${name}`,
      new PreparedDocument(contentTypeOf(name)!, () => words),
    );
  }
  const colours = colourRules(texts.branding, (rules) => `:root[data-theme='dark'] { ${rules} }`);
  documents.serve(nest, `/console/${COLOURS}`, new PreparedDocument(contentTypeOf(COLOURS)!, () => colours));
}

/** The page in the operator's looks, and with what languages there are. */
function dressed(html: string, folder: string, texts: Texts | undefined): string {
  if (texts === undefined) return html;
  const { branding, defaultLanguage, languages } = texts;
  const [catalog] = consoleWords(folder);
  const needsScript = catalog && texts.plainOf(catalog, defaultLanguage)['needsScript'];
  const brand = {
    name: branding.name,
    logo: branding.logo === null ? null : logoPath(branding.logo),
    support: branding.support === null ? null : addressOfSupport(branding.support),
    footer_links: branding.footerLinks,
  };
  return html
    .replace(/<title>[^<]*<\/title>/, () => `<title>${inAttribute(branding.name)}</title>`)
    .replace(
      '<meta name="languages" content="{}" />',
      () => `<meta name="languages" content="${inAttribute(JSON.stringify(languages))}" />`,
    )
    .replace(
      '<meta name="default-language" content="en" />',
      `<meta name="default-language" content="${defaultLanguage}" />`,
    )
    .replace(
      '<meta name="brand" content="{}" />',
      () => `<meta name="brand" content="${inAttribute(JSON.stringify(brand))}" />`,
    )
    .replace(
      '<noscript></noscript>',
      () => `<noscript>${inAttribute(typeof needsScript === 'string' ? needsScript : '')}</noscript>`,
    )
    .replace(
      '</head>',
      hasColours(branding) ? `  <link rel="stylesheet" href="${COLOURS}" />\n  </head>` : '</head>',
    );
}

/**
 * The page, with what the service alone knows: its path at the public address, whether it gives demo money, which groups it does
 * without, and what pages plugins add.
 */
function pageOf(html: string, config: Config, { folder, pages, leftOut, texts }: ConsoleContents): Buffer {
  return Buffer.from(
    dressed(html, folder, texts)
      .replace('<base href="/console/" />', `<base href="${pathOf(config)}/console/" />`)
      .replace(
        '<meta name="demo-money" content="false" />',
        `<meta name="demo-money" content="${config.seedDemo}" />`,
      )
      .replace(
        '<meta name="left-out" content="" />',
        `<meta name="left-out" content="${leftOut.join(' ')}" />`,
      )
      .replace(
        '<meta name="plugin-pages" content="[]" />',
        // A function, since "$&" in a title would mean something to `replace`.
        () => `<meta name="plugin-pages" content="${inAttribute(JSON.stringify(pages.map(listed)))}" />`,
      ),
  );
}

function inAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** The path of `PUBLIC_URL`, without a trailing slash: empty unless a proxy serves the service below a path. */
function pathOf({ publicUrl }: Config): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '');
}

/** Nothing inline, and nothing from or to anywhere else. */
function consolePolicy(config: Config): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'"],
        // Not all browsers count sockets of the same host to 'self'.
        connectSrc: ["'self'", () => new URL(config.publicUrl).origin.replace(/^http/, 'ws')],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
  });
}

/** Programs get what they always got at `/`: they take JSON, or anything. */
function toConsole(config: Config): RequestHandler {
  return (request, response, next) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (isReading && request.path === '/' && request.accepts(['json', 'html']) === 'html') {
      response.vary('Accept').redirect(302, `${pathOf(config)}/console`);
    } else next();
  };
}
