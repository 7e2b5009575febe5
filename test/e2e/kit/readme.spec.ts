import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../../src/testing/service-process.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { shellBlocksOf } from '../../support/documents.js';

const run = promisify(execFile);
const KILL = 'kill -9 $(cat data/tradepost.pid)';

/** The first order of the README and the tour after it, as a newcomer types them. */
describe('the commands of the README and the tour', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  const startService = async (): Promise<void> => {
    service = await ServiceProcess.start({
      entry: resolve('dist/bundle/main.js'),
      env: { DATABASE_URL: database.url, SEED_DEMO: 'true' },
    });
  };
  beforeAll(async () => {
    database = await createTestDatabase();
    await startService();
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** Runs commands with the README's address replaced, and returns their output. */
  const type = async (commands: string): Promise<string> => {
    const here = commands.replaceAll('http://127.0.0.1:3000', service.url);
    const { stdout } = await run('bash', ['-c', `set -eu\n${here}`]);
    return stdout;
  };

  it('place an order that matches, and find it there after a kill -9', async () => {
    const [trade = '', look = ''] = shellBlocksOf('README.md', 'A first order');
    const [books = ''] = shellBlocksOf('README.md', 'Checking the books');
    expect(trade).toContain(KILL);
    const names = 'echo; echo "MAKER=$MAKER DEMO=$DEMO ADMIN=$ADMIN"';
    const traded = await type(trade.replace(KILL, `${names}; ${KILL.replace('data', service.dataDir)}`));
    expect(traded).toContain('"status":"open"');
    expect(traded).toContain('"status":"filled"');
    const tokens = traded.trimEnd().split('\n').at(-1) ?? '';

    await service.stop();
    await startService();
    const found = await type(`${tokens}\n${look}`);
    expect(found).toContain('"asks":[["60000","0.15",1]]');
    expect(found).toContain('"status":"filled"');
    expect(found).toContain('{"asset":"BTC","available":"1000.1","held":"0","total":"1000.1"}');

    const [bet = ''] = shellBlocksOf('docs/tour.md', 'Quotes, bets, wallets, payouts');
    const betted = await type(`${tokens}\n${bet}`);
    expect(betted).toMatch(/"side":"back",.*"size":"100",.*"odds":"4","stake":"25"/);
    expect(betted).toContain('"realized_pnl":"0"');

    const [check = ''] = books.split('\n');
    expect(await type(`${tokens}\n${check}`)).toContain('"balanced":true');
  });

  it('say hello in the lobby, and follow it', async () => {
    const [chat = ''] = shellBlocksOf('docs/tour.md', 'Streams, chat, webhooks');
    const [tokens = ''] = shellBlocksOf('docs/tour.md', 'Tokens');
    // A stream runs until the client disconnects.
    const told = await type(
      `${tokens}\n${chat.replace('curl -sN', 'curl -sN --max-time 3').trimEnd()} || true`,
    );
    expect(told).toMatch(/event: message.new\ndata: .*"text":"Hello, lobby"/);
  });

  it('read a pet by API key, log in and order another', async () => {
    const [petstore = ''] = shellBlocksOf('docs/tour.md', 'Logging in, and the Petstore');
    const answers = await type(petstore);
    expect(answers).toContain('{"id":1,');
    expect(answers).toMatch(/"petId":2,.*"status":"placed"/);
  });
});
