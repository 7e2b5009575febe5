import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';

const CONNECTIONS = 1_000;

/** Opens connections, and says how many there are after two seconds. */
const CONNECT = `
  const { connect } = require('node:net');
  const [port, count] = process.argv.slice(1).map(Number);
  let open = 0;
  for (let i = 0; i < count; i++) connect(port, '127.0.0.1', () => open++).on('error', () => undefined);
  setTimeout(() => {
    process.stdout.write(String(open));
    process.exit();
  }, 2_000);
`;

describe('a service that is busy', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  it('lets a thousand connections wait, so that who comes behind them need not knock again', () => {
    const { port } = new URL(app.url);
    // The service, which is in this process, accepts nothing meanwhile.
    const open = execFileSync(process.execPath, ['-e', CONNECT, port, String(CONNECTIONS)]);
    expect(Number(open.toString())).toBe(CONNECTIONS);
  });
});
