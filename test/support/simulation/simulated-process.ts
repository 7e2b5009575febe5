/** One process of the service, as far as the core goes: it is killed, stands still, and is cut off from its store. */
import type { Random } from '../../../bench/support/random.js';
import type { CoreConnection } from '../../../src/core/leadership/leadership.js';
import { Sequencer } from '../../../src/core/sequencer/sequencer.js';
import type { SequencerOptions } from '../../../src/core/sequencer/sequencer-options.js';
import type { PrimaryClient } from '../../../src/kit/database/primary-client.js';
import type { FaultyStore } from './faulty-store.js';
import { SimulatedClient } from './simulated-client.js';
import { Actor, type VirtualTime } from './virtual-time.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** What a process must never say, whatever the store does. */
const FAULTS = [
  'the sequencer failed',
  'the stored state is damaged; refusing to lead',
  'what a commit did cannot be read; the state is loaded again',
  'something failed by itself; its market is halted',
  'the orders in memory do not lead to the last commit; reading the tables',
];

export class SimulatedProcess {
  private actor = new Actor();
  private running: Sequencer;
  private clients: SimulatedClient[] = [];
  private cutOffUntilMs = 0;
  terms = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly random: Random,
    private readonly store: FaultyStore,
    private readonly options: SequencerOptions,
    private readonly onFault: (message: string) => void,
  ) {
    this.running = this.launch();
  }

  get sequencer(): Sequencer {
    return this.running;
  }

  get isDead(): boolean {
    return this.actor.isDead;
  }

  get isFrozen(): boolean {
    return this.actor.isFrozen;
  }

  /** Something arrives at it, unless it is dead by then. */
  receive(delayMs: number, act: (sequencer: Sequencer) => void): void {
    const { running } = this;
    this.time.after(delayMs, () => act(running), this.actor);
  }

  /** What its connections have under way is carried out or not, and the store learns of its death later. */
  kill(): void {
    this.actor.isDead = true;
    for (const client of this.live()) {
      const isAbrupt = this.random() < 0.2;
      client.lose({
        serverLearnsInMs: isAbrupt ? this.random() * 20_000 : this.random() * 5,
        drops: this.random() < 0.3,
      });
    }
    this.clients = [];
  }

  restart(): void {
    this.actor = new Actor();
    this.running = this.launch();
  }

  freeze(): void {
    this.actor.isFrozen = true;
  }

  thaw(): void {
    if (this.actor.isFrozen) this.time.thaw(this.actor);
  }

  /** Nothing goes through between it and the store for some time; then all that was sent arrives. */
  cutOff(untilMs: number): void {
    this.cutOffUntilMs = untilMs;
    for (const client of this.live()) client.standStill(untilMs);
  }

  /** Its connections that live. */
  live(): SimulatedClient[] {
    return (this.clients = this.clients.filter(({ isOver }) => !isOver));
  }

  /** Whether the store has ended a connection of it, and it has not heard of that. */
  get isUnaware(): boolean {
    return this.live().some(({ isHalfOpen }) => isHalfOpen);
  }

  stop(): Promise<void> {
    return this.time.as(this.actor, () => this.running.stop());
  }

  private launch(): Sequencer {
    const say = (details: object, message: string): void => this.hear(details, message);
    const log = { info: say, warn: say, error: say };
    return this.time.as(this.actor, () => {
      const sequencer = new Sequencer((connection) => this.connect(connection), log, this.options);
      sequencer.start().catch((error: unknown) => this.onFault(`it does not start: ${String(error)}`));
      return sequencer;
    });
  }

  private hear(details: object, message: string): void {
    if (message === 'leading the core') this.terms++;
    const { err } = details as { err?: unknown };
    const isUnknown = err instanceof Error && err.message.startsWith('the simulated store');
    if (isUnknown || FAULTS.includes(message))
      this.onFault(`${message}: ${err instanceof Error ? (err.stack ?? err.message) : ''}`);
  }

  private async connect(connection: CoreConnection): Promise<PrimaryClient> {
    await this.pause(0.5 + this.random() * 2);
    if (this.time.nowMs < this.cutOffUntilMs) {
      await this.pause(CONNECT_TIMEOUT_MS);
      throw new Error('timeout expired');
    }
    if (!this.store.isUp) throw new Error('connect ECONNREFUSED');
    const client = new SimulatedClient(this.store, this.actor, connection, this.time);
    this.clients.push(client);
    return client.asClient;
  }

  private pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.time.after(delayMs, resolve));
  }
}
