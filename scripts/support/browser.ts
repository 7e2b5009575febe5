import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium as playwright, type Page } from 'playwright-core';

/** The dependency's browser runs only on this platform. */
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

/** A browser of one's own, which comes with a package. */
export class HeadlessBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly folder: string,
  ) {}

  static async launch(): Promise<HeadlessBrowser> {
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-browser-'));
    const executablePath = await unpackBrowser(folder);
    return new HeadlessBrowser(await playwright.launch({ executablePath, args: BROWSER_FLAGS }), folder);
  }

  newPage(options?: BrowserContextOptions): Promise<Page> {
    return this.browser.newPage(options);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Into a new folder: the package's default is shared by all users of the machine. */
async function unpackBrowser(folder: string): Promise<string> {
  const shared = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    return await chromium.executablePath();
  } finally {
    if (shared === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = shared;
  }
}
