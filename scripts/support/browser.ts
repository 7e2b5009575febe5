import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium as playwright, type Page } from 'playwright-core';
import { ensureTools } from './tools.js';

/** The package's browser runs only on this platform. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64';

/** No sandbox, since it may run as root, and no network access beyond the service. */
const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** A browser of one's own, which comes with a package that the first one to need it installs. */
export class HeadlessBrowser {
  private constructor(private readonly browser: Browser) {}

  static async launch(): Promise<HeadlessBrowser> {
    const executablePath = await unpackedBrowser();
    return new HeadlessBrowser(await playwright.launch({ executablePath, args: BROWSER_FLAGS }));
  }

  newPage(options?: BrowserContextOptions): Promise<Page> {
    return this.browser.newPage(options);
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

/** The program, which the first one to need it unpacks: that takes longer than a start. */
async function unpackedBrowser(): Promise<string> {
  const tools = createRequire(join(await ensureTools('test/tools/browser'), 'package.json'));
  const entry = tools.resolve('@sparticuz/chromium');
  // In the package itself: only who may change it can write there, and another version brings another folder.
  const folder = resolve(dirname(entry), 'unpacked');
  const program = resolve(folder, 'chromium');
  if (existsSync(program)) return program;
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await unpackInto(unfinished, entry);
    await rename(unfinished, folder);
  } catch (error) {
    // Somebody else was faster, or it cannot be had.
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  }
  return program;
}

/** The package's own default is a folder that all users of the machine share. */
async function unpackInto(folder: string, entry: string): Promise<void> {
  const shared = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    const { default: chromium } = (await import(pathToFileURL(entry).href)) as {
      readonly default: { executablePath(): Promise<string> };
    };
    await chromium.executablePath();
  } finally {
    if (shared === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = shared;
  }
}
