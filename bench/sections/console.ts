import { setInterval as every } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { median } from '../../scripts/support/statistics.js';
import { hasBrowser, HeadlessBrowser } from '../../scripts/support/browser.js';
import { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, limitFigure, ratioFigure } from '../support/figures.js';

const MARKETS = 10_000;
const MARKETS_AT_ONCE = 32;
const BUSY_MARKET = 'BENCH-00000';
const CHANGES_PER_SECOND = 200;
/** Changes that are sent together; a timer for each would come late. */
const BURSTS_PER_SECOND = 20;
const VISITS = 5;

const FIRST_SCREEN_KB_MAX = 200;
const INTERACTIVE_SECONDS_MAX = 1.5;
/** A screen of 60 frames a second, of which one in a while is late. */
const FRAMES_LEAST = 58;

/** What the console costs a browser on this machine: bytes, time, and frames with much to show. */
export async function benchConsole(context: BenchContext): Promise<Figure[]> {
  if (!hasBrowser) {
    process.stderr.write('console: left out, as there is no browser for this machine\n');
    return [];
  }
  const service = await BenchService.start(await context.createDatabase('bench_console'));
  const browser = await HeadlessBrowser.launch();
  try {
    const first = await firstScreens(browser, service.url);
    await createMarkets(service);
    return [
      ...first,
      await scrolling(browser, service.url, context.rounds.longRoundMs),
      await busyBook(browser, service, context.rounds.longRoundMs),
    ];
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** Visits with nothing in the browser's cache. */
async function firstScreens(browser: HeadlessBrowser, url: string): Promise<Figure[]> {
  const visits: { readonly kilobytes: number; readonly seconds: number }[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    const startedAtMs = performance.now();
    await page.goto(`${url}/console`);
    await page.getByRole('table').getByRole('link').first().waitFor();
    visits.push({ kilobytes: bytes / 1_000, seconds: (performance.now() - startedAtMs) / 1_000 });
    await page.context().close();
  }
  const of = (name: 'kilobytes' | 'seconds'): number => median(visits.map((visit) => visit[name]));
  const basis = `${VISITS} visits with an empty cache`;
  return [
    limitFigure('console, the first screen: compressed', of('kilobytes'), FIRST_SCREEN_KB_MAX, ' KB', basis),
    limitFigure(
      'console, the first screen: until it is used',
      of('seconds'),
      INTERACTIVE_SECONDS_MAX,
      ' s',
      basis,
    ),
  ];
}

async function createMarkets(service: BenchService): Promise<void> {
  const names = Array.from({ length: MARKETS }, (_, at) => `BENCH-${String(at).padStart(5, '0')}`);
  const create = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) await service.createMarket(name);
  };
  await Promise.all(Array.from({ length: MARKETS_AT_ONCE }, create));
}

async function scrolling(browser: HeadlessBrowser, url: string, durationMs: number): Promise<Figure> {
  const page = await browser.newPage();
  await page.goto(`${url}/console`);
  // The demo data have markets, too.
  await page.getByText(/^100\d\d markets$/).waitFor();
  const frames = await framesPerSecond(page, durationMs, 'scrollBy(0, 700)');
  await page.context().close();
  return ratioFigure(
    `console: frames a second in a table of ${MARKETS.toLocaleString('en-US')} rows, scrolled with each`,
    frames,
    FRAMES_LEAST,
    'headless Chromium',
  );
}

async function busyBook(
  browser: HeadlessBrowser,
  service: BenchService,
  durationMs: number,
): Promise<Figure> {
  const page = await browser.newPage();
  await page.goto(`${service.url}/console/markets/${BUSY_MARKET}`);
  await page.locator('.book[data-sequence]').waitFor();
  const shown = "document.querySelector('.book').dataset.sequence";
  const before = await page.evaluate<string>(shown);
  const stop = new AbortController();
  const [frames, placed] = await Promise.all([
    framesPerSecond(page, durationMs, '').finally(() => stop.abort()),
    changeBook(service, stop.signal),
  ]);
  const after = await page.evaluate<string>(shown);
  const perSecond = placed / (durationMs / 1_000);
  await page.context().close();
  if (before === after) throw new Error('The book has shown no change.');
  return ratioFigure(
    `console: frames a second with a book at ${CHANGES_PER_SECOND} changes a second`,
    frames,
    FRAMES_LEAST,
    `headless Chromium, ${Math.round(perSecond)} changes/s`,
  );
}

/** Places orders at ever other levels until it is stopped; answers how many. */
async function changeBook(service: BenchService, signal: AbortSignal): Promise<number> {
  let placed = 0;
  const placing: Promise<void>[] = [];
  try {
    for await (const _ of every(1_000 / BURSTS_PER_SECOND, undefined, { signal })) {
      for (let order = 0; order < CHANGES_PER_SECOND / BURSTS_PER_SECOND; order++) {
        const side = placed % 2 === 0 ? 'buy' : 'sell';
        const trader = (side === 'buy' ? service.buyers : service.sellers)[placed % 1_000]!;
        const price = side === 'buy' ? 1_000 - (placed % 40) : 1_001 + (placed % 40);
        const terms = { market_id: BUSY_MARKET, side, type: 'limit', price: String(price), size: '0.01' };
        placing.push(service.placeOrder(trader, terms));
        placed++;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await Promise.all(placing);
  return placed;
}

/** How many frames the page draws a second while it does something in each. */
function framesPerSecond(page: Page, durationMs: number, inEach: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const startedAt = performance.now();
    let frames = 0;
    const next = (now) => {
      if (now - startedAt >= ${durationMs}) return resolve((frames * 1000) / (now - startedAt));
      frames++;
      ${inEach};
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
}
