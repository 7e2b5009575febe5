import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { HeadlessBrowser } from '../../scripts/support/browser.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { ConsoleWindow } from './console-browser.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 360, height: 740 };
/** Colours do not depend on the width, so two of the four looks show what there is to see. */
const LOOKS = [
  [WIDE, 'light'],
  [NARROW, 'dark'],
] as const;

/** The service with a browser, and the windows that people open in it. */
export class ConsoleWorld {
  private readonly windows: ConsoleWindow[] = [];

  private constructor(
    readonly app: TestApp,
    private readonly browser: HeadlessBrowser,
  ) {}

  static async start(options: Parameters<typeof startTestApp>[0] = {}): Promise<ConsoleWorld> {
    const app = await startTestApp({ rateLimits: 'off', ...options });
    try {
      return new ConsoleWorld(app, await HeadlessBrowser.launch());
    } catch (error) {
      await app.close();
      throw error;
    }
  }

  async open(options?: Parameters<typeof ConsoleWindow.open>[2]): Promise<ConsoleWindow> {
    const window = await ConsoleWindow.open(this.browser, this.app.config.publicUrl, options);
    this.windows.push(window);
    return window;
  }

  /** A window in which this user is logged in, at a page of the console. */
  async openAs(username: string, path: string, title: string): Promise<ConsoleWindow> {
    const window = await this.open();
    await window.goTo(path);
    await window.logIn(username);
    await window.heading(title).waitFor();
    return window;
  }

  /** Closes all windows; nothing may have gone wrong in any. */
  async closeWindows(): Promise<void> {
    for (const window of this.windows.splice(0)) {
      expect(window.faults).toEqual([]);
      await window.close();
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.app.close();
  }
}

/**
 * What is shown now has no fault that axe finds, and nothing reaches beyond the window: wide and light, narrow and dark.
 * With a folder in `SCREENSHOTS` there are pictures to look at.
 */
export async function expectReadable({ page }: ConsoleWindow, name: string): Promise<void> {
  for (const [viewport, colorScheme] of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const look = `${name}, ${viewport.width} px, ${colorScheme}`;
    expect(await violationsIn(page), look).toEqual([]);
    await takePicture(page, look);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow, `${name}, ${viewport.width} px: beyond the window`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(WIDE);
}

async function violationsIn(page: Page): Promise<string[]> {
  // The page's policy lets nothing in by a <script>; the debugger may.
  await page.evaluate(await readFile(AXE, 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, '-')}.png`), fullPage: true });
}
