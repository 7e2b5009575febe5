import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeComplaints, watchAnswers } from './declared-answers.js';

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const OF_EVERY_ANSWER = { 'X-Request-Id': 'one', 'Tradepost-Version': 'today' };
const TIME = { time: '2026-11-21T12:00:00.000Z', sequence: 1 };

/** A server that answers what it is told to, watched as the test apps are. */
describe('answers that the document does not declare', () => {
  let server: Server;
  let url: string;
  let next: Answer;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      const { status, body, type = 'application/json', headers = OF_EVERY_ANSWER } = next;
      response.statusCode = status;
      response.setHeaders(new Map(Object.entries({ ...headers, 'Content-Type': type })));
      response.write(JSON.stringify(body).slice(0, 1));
      response.end(JSON.stringify(body).slice(1));
    });
    watchAnswers(server, { hasPlugins: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  async function complaintsAbout(path: string, answer: Answer): Promise<string[]> {
    next = answer;
    await (await fetch(url + path)).arrayBuffer();
    return takeComplaints();
  }

  it.each([
    ['a status', { status: 418, body: TIME }, 'declares no such status'],
    ['a missing field', { status: 200, body: {} }, 'must have required property'],
    ['a field of another type', { status: 200, body: { ...TIME, time: 1 } }, '/time must be string'],
    ['a surplus field', { status: 200, body: { ...TIME, more: 1 } }, 'additional properties: more'],
    ['another media type', { status: 200, body: TIME, type: 'text/html' }, 'not text/html'],
    ['a missing header', { status: 200, body: TIME, headers: {} }, 'lacks the header X-Request-Id'],
  ])('are found: %s', async (_name, answer, complaint) => {
    expect((await complaintsAbout('/time', answer)).join()).toContain(complaint);
  });

  it('are found at a path that it has not', async () => {
    expect(await complaintsAbout('/times', { status: 200, body: TIME })).toHaveLength(1);
  });

  it('are no others', async () => {
    expect(await complaintsAbout('/time', { status: 200, body: TIME })).toEqual([]);
  });
});
