import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FixLoadRequest } from './fix-load.js';
import type { LoadResult } from './load-result.js';
import type { LoadRequest, PacedLoadRequest } from './load-worker.js';
import type { SocketLoadRequest } from './socket-load.js';

const WORKER = fileURLToPath(new URL('./load-worker.js', import.meta.url));

/** One process that makes load, kept for all rounds so that each finds it warm. */
export class LoadGenerator {
  private readonly child: ChildProcess = fork(WORKER);

  /**
   * Runs for the given time and answers what came back. The connections of plain requests go to the first address and
   * to `otherUrls` in turn. Rejects where connections break.
   */
  async run(
    baseUrl: string,
    load:
      | Omit<LoadRequest, 'host' | 'port'>
      | Omit<PacedLoadRequest, 'host' | 'port'>
      | Omit<SocketLoadRequest, 'host' | 'port'>
      | Omit<FixLoadRequest, 'host' | 'port'>,
    otherUrls: readonly string[] = [],
  ): Promise<LoadResult> {
    this.child.send({ ...addressOf(baseUrl), others: otherUrls.map(addressOf), ...load });
    const settled = new AbortController();
    const { signal } = settled;
    const [result] = (await Promise.race([
      once(this.child, 'message', { signal }),
      once(this.child, 'exit', { signal }).then(() => Promise.reject(new Error('The load generator ended.'))),
    ]).finally(() => settled.abort())) as [LoadResult];
    return result;
  }

  stop(): void {
    this.child.kill();
  }
}

function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** A request without a body, as it goes over the wire. */
export function wireGet(path: string, token: string): string {
  return [`GET ${path} HTTP/1.1`, 'Host: bench', `Authorization: Bearer ${token}`, '', ''].join('\r\n');
}

/** A request as it goes over the wire, or the template of one where the body has a `SERIAL`. */
export function wireRequest(path: string, token: string, body: unknown): string {
  return wireJson(path, `Authorization: Bearer ${token}`, body);
}

/** The same of somebody whom another header names. */
export function wireJson(path: string, credential: string, body: unknown): string {
  return wirePost(path, credential, 'application/json', JSON.stringify(body));
}

/** A form as it goes over the wire, of somebody whom another header names. */
export function wireForm(path: string, credential: string, form: string): string {
  return wirePost(path, credential, 'application/x-www-form-urlencoded', form);
}

function wirePost(path: string, credential: string, type: string, body: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: bench',
    credential,
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
