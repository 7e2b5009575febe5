import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Template } from '../support/template.js';
import type { Stream } from './flood.js';
import { type WireAddress, WireConnection } from './wire-connection.js';

/** For one that the service has ended. */
const RECONNECT_MS = 200;

interface Attack extends WireAddress {
  readonly streams: readonly Stream[];
}

class RunningAttack {
  readonly statuses: Record<number, number> = {};
  private readonly connections = new Set<WireConnection>();
  private readonly stopping = new AbortController();

  constructor(private readonly attack: Attack) {
    setMaxListeners(0, this.stopping.signal);
    for (const { connections, requests } of attack.streams) {
      const templates = requests.map((request) => new Template(request));
      for (let i = 0; i < connections; i++) void this.repeat(templates, i);
    }
  }

  stop(): void {
    this.stopping.abort();
    for (const connection of this.connections) connection.close();
  }

  private async repeat(templates: readonly Template[], first: number): Promise<void> {
    const { signal } = this.stopping;
    let connection: WireConnection | undefined;
    for (let i = first; !this.isOver(); i++) {
      try {
        if (connection?.isOpen !== true) connection = await this.open(connection);
        const request = templates[i % templates.length]!.next();
        const { retryAfterS } = await connection.ask(request, ({ status }) => this.count(status));
        if (retryAfterS > 0) await delay(retryAfterS * 1_000, undefined, { signal });
      } catch {
        if (this.isOver()) return;
        this.count(0);
        await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async open(former: WireConnection | undefined): Promise<WireConnection> {
    if (former !== undefined) this.connections.delete(former);
    const connection = await WireConnection.open(this.attack);
    this.connections.add(connection);
    if (this.isOver()) connection.close();
    return connection;
  }

  private isOver(): boolean {
    return this.stopping.signal.aborted;
  }

  private count(status: number): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }
}

// Nobody is left to measure.
process.once('disconnect', () => process.exit());

let running: RunningAttack | undefined;

process.on('message', (message: Attack | 'stop') => {
  if (message !== 'stop') {
    running = new RunningAttack(message);
    return;
  }
  running?.stop();
  process.send!(running?.statuses ?? {});
  running = undefined;
});
