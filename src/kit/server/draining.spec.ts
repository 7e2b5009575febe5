import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { startProbe } from '../../../test/support/http-probe.js';
import { drainServer } from './http-server.js';
import { Readiness } from './readiness.js';

/** Connects, says so, sends a request when the flag is raised, and tells what it got in the end. */
const CLIENT_OF_ITS_OWN = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, flag } } = require('node:worker_threads');
  const socket = connect(port, '127.0.0.1', () => {
    parentPort.postMessage('connected');
    Atomics.wait(flag, 0, 0);
    socket.write('GET /notes/1 HTTP/1.1\\r\\nHost: tradepost\\r\\nConnection: close\\r\\n\\r\\n');
  });
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => parentPort.postMessage(answer));
`;

describe('draining', () => {
  it('finishes what runs, takes nothing new, and tells clients to go', async () => {
    const other = await startProbe();
    const address = await other.getUrl();
    await fetch(`${address}/notes/1`);
    const slow = fetch(`${address}/slow`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    other.get(Readiness).beginDraining();
    const startedAtMs = performance.now();
    await drainServer(other.getHttpServer(), 5_000);
    expect(performance.now() - startedAtMs, 'the grace was not waited out').toBeLessThan(5_000);
    expect(await (await slow).json()).toEqual({ slow: true });
    await expect(fetch(`${address}/notes/1`)).rejects.toThrow();
    await other.close();
  });

  it('does not wait for connections that were opened in advance and never used', async () => {
    const other = await startProbe();
    const socket = connect(Number(new URL(await other.getUrl()).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    other.get(Readiness).beginDraining();
    await Promise.all([once(socket, 'close'), drainServer(other.getHttpServer(), 60_000)]);
    await other.close();
  });

  it('answers a request that came on such a connection while the process had no turn', async () => {
    const other = await startProbe();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { port: Number(new URL(await other.getUrl()).port), flag };
    const client = new Worker(CLIENT_OF_ITS_OWN, { eval: true, workerData });
    await once(client, 'message');
    other.get(Readiness).beginDraining();
    const drained = drainServer(other.getHttpServer(), 60_000);
    await turn();
    await turn();
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    // Nothing runs here meanwhile, for longer than unused connections are kept.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    const [answer] = (await once(client, 'message')) as [string];
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    await drained;
    await other.close();
  });
});
