/** The core's end of a connection to the simulated store, and the wires between the two, which break and stand still. */
import type { PrimaryClient } from '../../../src/kit/database/primary-client.js';
import type { CoreConnection } from '../../../src/core/leadership/leadership.js';
import type { FaultyStore, Query, Reply, Session } from './faulty-store.js';
import { type Actor, NOBODY, type VirtualTime } from './virtual-time.js';

/** One direction of a connection: what is sent arrives later, in order, or not at all. */
class Wire {
  private readonly messages: (() => void)[] = [];
  stillUntilMs = 0;
  isCut = false;

  constructor(
    private readonly time: VirtualTime,
    private readonly latencyMs: () => number,
    private readonly receiver: Actor,
  ) {}

  send(deliver: () => void): void {
    this.messages.push(deliver);
    this.time.after(this.latencyMs(), this.deliver, this.receiver);
  }

  private readonly deliver = (): void => {
    const waitMs = this.stillUntilMs - this.time.nowMs;
    if (waitMs > 0) {
      this.time.after(waitMs, this.deliver, this.receiver);
      return;
    }
    const message = this.messages.shift();
    if (!this.isCut) message?.();
  };
}

interface Pending {
  readonly query: Query;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

type QueryConfig = { readonly name?: string; readonly text: string; readonly values?: readonly unknown[] };

/** As much of the driver's client as the core uses. */
export class SimulatedClient {
  private readonly toServer: Wire;
  private readonly toClient: Wire;
  private readonly session: Session;
  private readonly pending: Pending[] = [];
  private readonly listeners: (() => void)[] = [];
  private active: Pending | null = null;
  isOver = false;

  constructor(
    private readonly store: FaultyStore,
    private readonly owner: Actor,
    connection: CoreConnection,
    private readonly time: VirtualTime,
  ) {
    const latencyMs = (): number => 0.05 + store.random() * 0.4;
    this.toServer = new Wire(time, latencyMs, NOBODY);
    this.toClient = new Wire(time, latencyMs, owner);
    this.session = store.open(connection !== 'projector', (reply) =>
      this.toClient.send(() => this.receive(reply)),
    );
  }

  /** The server's end is gone, and this one has not heard of it. */
  get isHalfOpen(): boolean {
    return this.session.isOver && !this.isOver;
  }

  get asClient(): PrimaryClient {
    return this as unknown as PrimaryClient;
  }

  on(event: string, act: () => void): this {
    if (event === 'end') this.listeners.push(act);
    return this;
  }

  query(query: string | QueryConfig, values: readonly unknown[] = []): Promise<unknown> {
    if (this.isOver) return Promise.reject(new Error('Client was closed and is not queryable'));
    const {
      text,
      name,
      values: own = values,
    } = typeof query === 'string' ? { text: query, name: undefined } : query;
    return new Promise((resolve, reject) => {
      this.pending.push({ query: { text, name, values: own }, resolve, reject });
      this.sendNext();
    });
  }

  /** As the driver does: a connection that waits for an answer is destroyed, another one says goodbye. */
  end(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    if (this.active !== null) {
      this.lose({ serverLearnsInMs: 0, drops: false });
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.on('end', resolve);
      this.toServer.send(() => this.session.receive('end'));
    });
  }

  /**
   * The connection breaks, and this end knows. The server learns of it later: by then it has carried out what it had
   * received, or what was sent got lost.
   */
  lose({ serverLearnsInMs, drops }: { serverLearnsInMs: number; drops: boolean }): void {
    this.toServer.isCut ||= drops;
    this.time.after(
      serverLearnsInMs,
      () => {
        this.toServer.isCut = false;
        this.toServer.send(() => this.session.receive('end'));
      },
      NOBODY,
    );
    this.failIn(0);
  }

  /** The server's end breaks; this one learns of it later, and what is sent until then is lost. */
  loseServer(clientLearnsInMs: number): void {
    this.toClient.isCut = true;
    this.session.end(null);
    this.failIn(clientLearnsInMs);
  }

  /** The process hears of it when it can: not while it is frozen, and never if it is dead. */
  private failIn(delayMs: number): void {
    const fail = (): void => this.fail(new Error('Connection terminated unexpectedly'));
    this.time.after(delayMs, fail, this.owner);
  }

  /** Nothing arrives until then, in either direction. */
  standStill(untilMs: number): void {
    this.toServer.stillUntilMs = Math.max(this.toServer.stillUntilMs, untilMs);
    this.toClient.stillUntilMs = Math.max(this.toClient.stillUntilMs, untilMs);
  }

  private sendNext(): void {
    if (this.active !== null) return;
    const next = this.pending.shift();
    if (next === undefined) return;
    this.active = next;
    const isTorn = /^core-(?:commit|projection)/.test(next.query.name ?? '') && this.store.isTorn();
    if (isTorn) this.tear(next.query);
    else this.toServer.send(() => this.session.receive(next.query));
  }

  /**
   * The worst that can become of a commit: the connection breaks, and what was sent is carried out a moment later, when
   * this end has gone on, or never.
   */
  private tear(query: Query): void {
    const { random } = this.store;
    const [soonMs = 4_000] = [2, 30].filter(() => random() < 0.5);
    const arrivesInMs = random() * soonMs;
    const isLost = random() < 0.2;
    this.time.after(
      arrivesInMs,
      () => {
        if (!isLost) this.session.receive(query);
        this.session.receive('end');
      },
      NOBODY,
    );
    this.failIn(random() * 20);
  }

  private receive(reply: Reply): void {
    if (this.isOver) return;
    if (reply.kind === 'closed') {
      this.fail(reply.error ?? new Error('Connection terminated unexpectedly'));
      return;
    }
    const { active } = this;
    this.active = null;
    if (active === null) throw new Error('an answer to nothing');
    if (reply.kind === 'error') active.reject(reply.error);
    else {
      const results = reply.results.map(({ rows, rowCount = rows.length }) => ({ rows, rowCount }));
      active.resolve(results.length === 1 ? results[0] : results);
    }
    this.sendNext();
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    const failed = [...(this.active === null ? [] : [this.active]), ...this.pending.splice(0)];
    this.active = null;
    for (const { reject } of failed) reject(error);
    for (const listener of this.listeners) listener();
  }
}
