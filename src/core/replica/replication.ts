/**
 * One process of several that serve the same exchange. While it leads it runs what the others send; while it does
 * not, it follows the journal and sends them what only the leader can run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RedisLink } from '../../kit/redis/redis-link.js';
import { type CommitListeners, NOBODY } from '../view/commit-listeners.js';
import type { CommittedView } from '../view/committed-view.js';
import type { Leader } from '../leadership/leadership.js';
import type { ProjectorLog } from '../projection/projector.js';
import type { Sequencer } from '../sequencer/sequencer.js';
import type { Companion } from '../sequencer/companion.js';
import type { HeldOrders } from '../state/held-orders.js';
import type { Work, WorkAnswer } from '../requests/work.js';
import { CommandReceiver } from './command-receiver.js';
import { CommandRelay } from './command-relay.js';
import { LeaderWatch, type LeaderWatchOptions } from './leader-watch.js';
import { Replica } from './replica.js';
import type { LeftState } from '../term/left-state.js';

/** The leader tells here that there is something new in the journal. */
const COMMITS_CHANNEL = 'commits';
/** Replicas ask here for the tables to be brought up to the journal. */
const TABLES_CHANNEL = 'tables';
/** How long a new leader waits until its listeners are notified of earlier commits. */
const CATCH_UP_MS_MAX = 2_000;

export class Replication implements Companion {
  private readonly replica: Replica;
  private readonly relay: CommandRelay;
  private readonly receiver: CommandReceiver;
  private readonly watch: LeaderWatch;
  private readonly releases: (() => unknown)[] = [];

  constructor(
    url: string,
    private readonly sequencer: Sequencer,
    private readonly link: RedisLink,
    listeners: CommitListeners,
    private readonly log: ProjectorLog,
    database: Pick<LeaderWatchOptions, 'find' | 'installation'>,
  ) {
    this.replica = new Replica(url, listeners, log);
    this.watch = new LeaderWatch(link, {
      ...database,
      isLeading: () => sequencer.currentTerm?.isFresh() === true,
    });
    this.relay = new CommandRelay(link);
    this.watch.onAnnounced((kind) => {
      this.relay.onAnnounced(kind);
      if (kind === 'resigned') sequencer.contend();
    });
    this.receiver = new CommandReceiver(link, {
      submit: (request) => sequencer.submit(request),
      preview: (command) => sequencer.preview(command),
      priceQuote: (request) => sequencer.priceQuote(request),
      get sequence() {
        return sequencer.currentTerm?.sequence ?? 0;
      },
      get leads() {
        return sequencer.currentTerm !== null;
      },
    });
    listeners.add(() => this.announceCommit(), NOBODY);
  }

  /** To be awaited before the sequencer is started. */
  async start(): Promise<void> {
    const { link, replica, sequencer } = this;
    this.releases.push(
      link.onUp(() => replica.wake()),
      await link.subscribe(COMMITS_CHANNEL, () => replica.wake()),
      await link.subscribe(TABLES_CHANNEL, () => {
        // Every caller checks the result itself, and reports a timeout.
        sequencer.currentTerm?.projected().catch(() => undefined);
      }),
    );
    await this.relay.start();
    await this.watch.start();
  }

  /** Call it after the last request. */
  async stop(): Promise<void> {
    await this.relay.stop();
    await this.replica.stop();
    await this.watch.stop();
    await Promise.all(this.releases.splice(0).map((release) => release()));
  }

  /** What readers see while this process does not lead; null where it is too old to be shown. */
  get view(): CommittedView | null {
    return this.replica.view;
  }

  get sequence(): number {
    return this.replica.sequence;
  }

  /** Which loading of the view readers see; another one may have missed commits. Null where it cannot be shown. */
  get generation(): number | null {
    return this.replica.view === null ? null : this.replica.generation;
  }

  /** The leader of another installation that uses this Redis; null where there is none. */
  get otherInstallation(): Leader | null {
    return this.watch.otherInstallation;
  }

  /** Whether commands can reach the leader, as far as known. */
  get isConnected(): boolean {
    return this.link.isUp;
  }

  /** Resolves once the view holds all that was durable when this was called, or cannot be shown, or this process leads. */
  current(): Promise<void> {
    return this.replica.currentOrTooOld(() => this.sequencer.currentTerm !== null);
  }

  /** The tables are wanted as new as the journal. */
  askForTables(): void {
    this.link.publish(TABLES_CHANNEL, '').catch(() => undefined);
  }

  async ordersAt(sequence: number): Promise<HeldOrders | null> {
    const reached = this.replica.reached(sequence).catch(() => undefined);
    await Promise.race([reached, delay(CATCH_UP_MS_MAX, undefined, { ref: false })]);
    return this.replica.give(sequence);
  }

  beforeLeading(): Promise<void> {
    return this.replica.halt();
  }

  leading(own: Leader): void {
    void this.replica.forget();
    this.receive(own).catch((error: unknown) => {
      this.log.error({ err: error }, 'what replicas send cannot be received');
    });
  }

  async leaving(): Promise<void> {
    const { leadsAs } = this.watch;
    await this.receiver.stop();
    await this.watch.resign(leadsAs);
  }

  standingBy(left: LeftState | null = null): Promise<void> {
    this.replica.start(left);
    return this.current();
  }

  async forward(work: Work): Promise<WorkAnswer> {
    const { answer, sequence } = await this.send(work);
    // The caller reads its own result next. If the view stays behind, that read is refused.
    await this.replica.reached(sequence).catch(() => undefined);
    return answer;
  }

  private async receive(own: Leader): Promise<void> {
    await this.receiver.start(own);
    await this.watch.lead(own);
  }

  private send(work: Work): Promise<{ readonly answer: WorkAnswer; readonly sequence: number }> {
    switch (work.kind) {
      case 'request':
        return this.relay.submit(work.request);
      case 'preview':
        return this.relay.preview(work.command);
      case 'quote':
        return this.relay.priceQuote(work.request);
    }
  }

  /** They hear of its own commits; while it follows, those of another. */
  private announceCommit(): void {
    if (this.sequencer.currentTerm !== null) this.link.publish(COMMITS_CHANNEL, '').catch(() => undefined);
  }
}
