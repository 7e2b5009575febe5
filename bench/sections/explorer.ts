import type { CDPSession, Page } from 'playwright-core';
import { median } from '../../scripts/support/statistics.js';
import { hasBrowser, HeadlessBrowser } from '../../scripts/support/browser.js';
import { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, limitFigure } from '../support/figures.js';

const VISITS = 5;
const STEP_TIMEOUT_MS = 120_000;

const GROUPS_CPU_SECONDS_MAX = 1.5;
const OPERATION_CPU_SECONDS_MAX = 0.3;
const PAGE_KB_MAX = 600;
const WHOLE_KB_MAX = 90;
const TRADING_KB_MAX = 45;

/** Opened one after the other: a large one, and one of another group. */
const OPERATIONS = [
  { group: 'Markets', id: 'placeOrder' },
  { group: 'Pets', id: 'getPet' },
] as const;

interface Visit {
  readonly groupsSeconds: number;
  readonly operationSeconds: number;
  readonly deepLinkSeconds: number;
  readonly kilobytes: number;
}

/** What Swagger UI costs a browser: its CPU until groups are drawn and until an operation is open, and bytes. */
export async function benchExplorer(context: BenchContext): Promise<Figure[]> {
  if (!hasBrowser) {
    process.stderr.write('explorer: left out, as there is no browser for this machine\n');
    return [];
  }
  const service = await BenchService.start(await context.createDatabase('bench_explorer'));
  const browser = await HeadlessBrowser.launch();
  try {
    const visits: Visit[] = [];
    for (let visit = 0; visit < VISITS; visit++) visits.push(await visitOf(browser, service.url));
    const of = (name: keyof Visit): number => median(visits.map((visit) => visit[name]));
    const basis = `${VISITS} visits with an empty cache`;
    const cpu = `CPU of the page, ${basis}`;
    return [
      limitFigure(
        'Swagger UI: until groups are drawn',
        of('groupsSeconds'),
        GROUPS_CPU_SECONDS_MAX,
        ' s',
        cpu,
      ),
      limitFigure(
        'Swagger UI: until an operation is open',
        of('operationSeconds'),
        OPERATION_CPU_SECONDS_MAX,
        ' s',
        cpu,
      ),
      limitFigure(
        'Swagger UI: until a deep link is open',
        of('deepLinkSeconds'),
        GROUPS_CPU_SECONDS_MAX + OPERATION_CPU_SECONDS_MAX,
        ' s',
        cpu,
      ),
      limitFigure('Swagger UI: all that it loads, compressed', of('kilobytes'), PAGE_KB_MAX, ' KB', basis),
      limitFigure(
        '/openapi.json, compressed',
        await kilobytesOf(service.url, ''),
        WHOLE_KB_MAX,
        ' KB',
        'Brotli',
      ),
      limitFigure(
        '/openapi.json?audience=trading, compressed',
        await kilobytesOf(service.url, '?audience=trading'),
        TRADING_KB_MAX,
        ' KB',
        'Brotli',
      ),
    ];
  } finally {
    await browser.close();
    await service.stop();
  }
}

async function visitOf(browser: HeadlessBrowser, url: string): Promise<Visit> {
  const { page, cpuSeconds, kilobytes } = await newPage(browser);
  await page.goto(`${url}/docs`);
  await page.locator('.opblock-tag').first().waitFor();
  const groupsSeconds = await cpuSeconds();
  const loaded = kilobytes();
  const costs: number[] = [];
  for (const { group, id } of OPERATIONS) {
    await page.locator(`.opblock-tag[data-tag="${group}"]`).click();
    const operation = page.locator(`#operations-${group}-${id}`);
    await operation.waitFor();
    const before = await cpuSeconds();
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-wrapper .response').first().waitFor();
    costs.push((await cpuSeconds()) - before);
  }
  await page.context().close();
  const linked = await newPage(browser);
  const [{ group, id }] = OPERATIONS;
  await linked.page.goto(`${url}/docs#/${group}/${id}`);
  await linked.page.locator(`#operations-${group}-${id} .responses-wrapper .response`).first().waitFor();
  const deepLinkSeconds = await linked.cpuSeconds();
  await linked.page.context().close();
  return { groupsSeconds, operationSeconds: Math.max(...costs), deepLinkSeconds, kilobytes: loaded };
}

/** A page of a process of its own, whose CPU is that of the process. */
async function newPage(browser: HeadlessBrowser): Promise<{
  readonly page: Page;
  readonly cpuSeconds: () => Promise<number>;
  readonly kilobytes: () => number;
}> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1_000 } });
  page.setDefaultTimeout(STEP_TIMEOUT_MS);
  const whole = await page.context().browser()!.newBrowserCDPSession();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const before = await renderersSeconds(whole);
  return {
    page,
    cpuSeconds: async () => (await renderersSeconds(whole)) - before,
    kilobytes: () => bytes / 1_000,
  };
}

async function renderersSeconds(whole: CDPSession): Promise<number> {
  const { processInfo } = await whole.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function kilobytesOf(url: string, query: string): Promise<number> {
  const response = await fetch(`${url}/openapi.json${query}`, { headers: { 'accept-encoding': 'br' } });
  await response.arrayBuffer();
  return Number(response.headers.get('content-length')) / 1_000;
}
