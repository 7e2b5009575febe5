import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.js';
import { type Caller, callerFor } from '../support/caller.js';
import { eventually } from '../support/eventually.js';
import { verified, WebhookReceiver } from '../support/webhook-receiver.js';

const MAIN = resolve('dist/src/main.js');

/** The commands of customers, as people and scripts run them. */
describe('tradepost', () => {
  let service: TestApp;
  let operator: Caller;
  let home: string;
  beforeAll(async () => {
    service = await startTestApp();
    operator = await callerFor(service.url, 'admin');
    home = await mkdtemp(join(tmpdir(), 'tradepost-home-'));
    await run(`echo demo-secret | tradepost login demo --url ${service.url}`);
  });
  afterAll(async () => {
    await rm(home, { recursive: true, force: true });
    await service.close();
  });

  /** A line of a shell, in a folder of its own; `tradepost` is the built one. */
  async function run(
    line: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const shell = line.replaceAll(/(?:npx )?tradepost /g, `${process.execPath} ${MAIN} `);
    const options = { env: { PATH: process.env['PATH'], HOME: home, ...env } };
    return promisify(execFile)('sh', ['-c', shell], options).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  }

  const linesOf = (text: string): unknown[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);

  it('does what docs/commands.md shows', async () => {
    const document = await readFile('docs/commands.md', 'utf8');
    const [shown] = document.match(/```sh\n[^`]*login[^`]*```/)!;
    const lines = shown.split('\n').slice(1, -1);
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      const url = line.includes('login') ? ` --url ${service.url}` : '';
      const { code, stderr } = await run(line + url);
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
    }
  });

  it('keeps the log-in for its user and its service alone', async () => {
    const kept = join(home, '.config/tradepost/login.json');
    await chmod(kept, 0o644);
    await run(`echo demo-secret | tradepost login demo --url ${service.url}`);
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    // Of another address it is not: whoever that is gets no secret.
    const elsewhere = service.url.replace('127.0.0.1', 'localhost');
    const refused = await run(`tradepost order buy 0.1 BTC-USD 1000 --url ${elsewhere}`);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Run tradepost login first.') });
    const wrong = await run(`echo wrong | tradepost login demo --url ${service.url}`, { HOME: tmpdir() });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).not.toContain('wrong');
  });

  it('places an order once for a key, and shows it in the book and where it traded', async () => {
    const place = `tradepost order buy 0.25 BTC-USD 50000 --key once-${process.pid}`;
    const [placed, again] = [await run(place), await run(place)].map(({ stdout }) => linesOf(stdout)[0]);
    expect(placed).toMatchObject({ order_id: expect.stringMatching(/^ord_/), status: 'open' });
    expect(again).toMatchObject({ order_id: (placed as { order_id: string }).order_id });
    const [book] = linesOf((await run('tradepost book BTC-USD')).stdout);
    expect(book).toMatchObject({ bids: expect.arrayContaining([['50000', '0.25', 1]]) });
    const maker = await callerFor(service.url, 'maker');
    await maker.post('/orders', {
      market_id: 'BTC-USD',
      side: 'sell',
      type: 'limit',
      price: '50000',
      size: '0.1',
    });
    const [trade] = linesOf((await run('tradepost trades BTC-USD --limit 1')).stdout);
    expect(trade).toMatchObject({ taker_side: 'sell', size: '0.1' });
  });

  it.each<[string, number, RegExp]>([
    ['tradepost order hold 1 BTC-USD', 1, /SIDE is buy or sell/],
    ['tradepost order buy 1', 1, /Usage: tradepost order SIDE SIZE MARKET/],
    ['tradepost order buy none BTC-USD 1', 1, /validation_failed/],
    ['tradepost book NONE-USD', 1, /market_not_found/],
    ['tradepost book BTC-USD --deep', 1, /tradepost book --help/],
    ['tradepost book BTC-USD --url http://127.0.0.1:2', 1, /does not answer \(ECONNREFUSED\)/],
    ['tradepost bok BTC-USD', 1, /There is no command "bok BTC-USD"/],
  ])('says in one line what is wrong: %s', async (line, code, said) => {
    const { stdout, stderr, ...ended } = await run(line);
    expect(ended).toMatchObject({ code });
    expect(stdout).toBe('');
    expect(stderr).toMatch(said);
    expect(stderr.trim()).not.toContain('\n');
  });

  it('has a --help with an example for each', async () => {
    for (const name of ['login', 'book', 'trades', 'order', 'listen']) {
      const { stdout } = await run(`tradepost ${name} --help`);
      expect(stdout).toMatch(new RegExp(`^Usage: tradepost ${name} `));
      expect(stdout, name).toContain(`tradepost ${name} `);
    }
  });

  it('sends events on, signed, and leaves no webhook behind', async () => {
    const receiver = await WebhookReceiver.start();
    const listening = spawn(
      process.execPath,
      [MAIN, 'listen', 'news.published', '--to', receiver.url('/mine')],
      { env: { HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let said = '';
    let shown = '';
    listening.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    listening.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    try {
      await eventually(() => expect(said).toMatch(/signed by whsec_/));
      const { body: news } = await operator.post('/admin/news', { headline: 'Fees fall' });
      await eventually(() => expect(receiver.at('/mine')).toHaveLength(1));
      const [arrival] = receiver.at('/mine');
      const secret = /whsec_\S+/.exec(said)![0];
      expect(verified(arrival!, secret)).toMatchObject({ data: { news_id: news.news_id } });
      await eventually(() =>
        expect(linesOf(shown)).toMatchObject([{ type: 'news.published', forwarded: 204 }]),
      );
      listening.kill('SIGINT');
      await once(listening, 'exit');
      expect(listening.exitCode).toBe(0);
      const demo = await callerFor(service.url, 'demo');
      expect((await demo.get('/news/webhooks')).body.data).toEqual([]);
    } finally {
      listening.kill('SIGKILL');
      await receiver.close();
    }
  });
});
