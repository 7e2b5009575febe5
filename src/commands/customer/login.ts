import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StartRefusal } from '../../kit/config/start-refusal.js';
import { ApiCalls, keepLogIn } from './api-calls.js';
import { customerCommand } from './customer-command.js';

export const login = customerCommand({
  name: 'login',
  summary: 'keeps the credential of a client for the commands that call a service',
  takes: 'CLIENT_ID',
  usage: `Asks for the client's secret, or reads it from a pipe, and keeps both in ~/.config/tradepost/login.json, which nobody
else may read. In the demo: echo demo-secret | tradepost login demo

`,
  options: {},
  async run({ url }, [clientId], _values, out) {
    const secret = process.stdin.isTTY ? await typed('Secret: ') : (await text(process.stdin)).trim();
    if (secret === '') throw new StartRefusal('No secret was given.');
    const logIn = { url, client_id: clientId!, client_secret: secret };
    await ApiCalls.by(logIn).prove();
    const path = await keepLogIn(logIn);
    out.show({ url, client_id: clientId, path }, () => `Logged in at ${url} as ${clientId}; kept in ${path}`);
  },
});

/** What is typed does not show. */
async function typed(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return (await lines.question('')).trim();
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
