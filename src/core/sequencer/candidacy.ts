/**
 * How a process takes the lead: the connections of its attempts, the lock, and the term that begins with it; and what
 * happens to waiting work while another process leads, or none can.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { ServiceFailure } from '../../kit/coded-error.js';
import { StartRefusal } from '../../kit/config/start-refusal.js';
import { assertDurable } from '../../kit/database/durability.js';
import type { PrimaryClient } from '../../kit/database/primary-client.js';
import { monotonicMs } from '../clock/command-clock.js';
import { unavailable } from '../requests/failures.js';
import {
  type ConnectCore,
  disconnect,
  type LeaderTerm,
  newHolder,
  tryTakeOver,
} from '../leadership/leadership.js';
import { DamagedState } from '../state/state-rows.js';
import { Term, type TermOptions } from '../term/term.js';
import type { Companion } from './companion.js';
import type { LeadConditions, SequencerLog } from './sequencer-options.js';
import type { WorkQueue } from './work-queue.js';

const TAKE_OVER_RETRY_MS = 100;
/** How long somebody else may lead before this process counts as a standby and refuses at once. */
const LEAD_CONTESTED_MS_MAX = 1_000;
const STANDBY_POLL_MS = 250;
/** The same for as long after somebody resigned as that may take. */
const CONTEST_POLL_MS = 10;
const CONTEST_MS = 3_000;
/** Repeated failures to take over are logged once in this many attempts. */
const LOGGED_EVERY = 50;

/** The process that tries. */
export interface Aspirant {
  readonly companion: Companion | null;
  readonly isStopping: boolean;
}

/** What a term needs, connected before there is one. */
interface Candidate {
  readonly writer: PrimaryClient;
  readonly reader: PrimaryClient;
}

export class Candidacy {
  /** Of the last term that this process has begun; each has its own. */
  holder: string | null = null;
  /** Kept between tries. */
  private candidate: Candidate | null = null;
  /** Another process leads, as far as is known, or this one must not. */
  isStandby = false;
  /** Set for good once the stored state turns out not to be what was committed. */
  damage: DamagedState | null = null;
  /** Somebody has just resigned: until then on the monotonic clock a standby tries again and again. */
  private contestedUntilMs = 0;

  constructor(
    private readonly aspirant: Aspirant,
    private readonly connectCore: ConnectCore,
    private readonly queue: WorkQueue,
    private readonly log: SequencerLog,
    private readonly options: TermOptions,
    private readonly conditions: LeadConditions,
  ) {}

  /** Somebody has resigned: the lock is free in a moment. */
  expectChance(): void {
    this.contestedUntilMs = monotonicMs() + CONTEST_MS;
  }

  /** How soon a standby tries again. */
  get standbyPollMs(): number {
    return monotonicMs() < this.contestedUntilMs ? CONTEST_POLL_MS : STANDBY_POLL_MS;
  }

  /** Begins a term; null where another process leads, or when it is time to stop. */
  async takeOver(): Promise<Term | null> {
    const startedAtMs = monotonicMs();
    for (let attempt = 0; !this.aspirant.isStopping && this.damage === null; attempt++) {
      try {
        const term = await this.tryToLead();
        if (term !== null) {
          this.isStandby = false;
          const { epoch, sequence } = term;
          const tookMs = Math.round(monotonicMs() - startedAtMs);
          this.log.info({ epoch, sequence, stateHash: term.stateHash(), tookMs }, 'leading the core');
          return term;
        }
        const isContested = monotonicMs() - startedAtMs > LEAD_CONTESTED_MS_MAX;
        if (this.isStandby || this.aspirant.companion !== null || isContested) {
          this.standBy();
          return null;
        }
      } catch (error) {
        await this.drop();
        if (error instanceof StartRefusal) {
          this.standBy(error.message);
          return null;
        }
        if (error instanceof DamagedState) this.refuseToLead(error);
        else if (attempt % LOGGED_EVERY === 0)
          this.log.error({ err: error }, 'taking over failed; trying again');
      }
      this.queue.refuseOld('The database cannot be reached. Try again in a moment.');
      await delay(TAKE_OVER_RETRY_MS);
    }
    return null;
  }

  /** Why this process takes no work itself; null where it leads, or may in a moment. */
  get refusal(): ServiceFailure | null {
    if (this.aspirant.isStopping) return unavailable('The service is stopping. Try again in a moment.');
    if (this.damage !== null) return unavailable('The stored state is damaged. Tell the operator.');
    if (this.isStandby) return unavailable('This process is a standby. Send orders to the leader.');
    return null;
  }

  /** What waits is for another process now; refused where there is no way to it. */
  handOver(error: ServiceFailure): void {
    const { companion } = this.aspirant;
    if (companion === null) {
      this.queue.refuseAll(error);
      return;
    }
    this.queue.handOver((work) => companion.forward(work));
  }

  private standBy(why = 'another process leads'): void {
    if (!this.isStandby) this.log.warn({}, `${why}; standing by`);
    this.isStandby = true;
    void this.aspirant.companion?.standingBy();
    this.handOver(unavailable('This process is a standby. Send orders to the leader.'));
  }

  /** A restart does not repair stored data, so nothing is retried until an operator has looked. */
  private refuseToLead(damage: DamagedState): void {
    this.damage = damage;
    this.log.error({ err: damage }, 'the stored state is damaged; refusing to lead');
    this.queue.refuseAll(unavailable('The stored state is damaged. Tell the operator.'));
  }

  /**
   * Begins a term; null where somebody else leads.
   * @throws StartRefusal where what it commits could be lost
   * @throws DamagedState where the tables are not what the last commit left, or the journal not what was signed
   */
  private async tryToLead(): Promise<Term | null> {
    this.candidate ??= await this.connect();
    const holder = newHolder();
    const leader = await tryTakeOver(this.candidate.writer, holder, this.holder);
    if (leader === null) return null;
    this.holder = holder;
    const term = await this.begin(this.candidate, leader);
    await this.aspirant.companion?.beforeLeading();
    // From here on the connections are the term's.
    this.candidate = null;
    return term;
  }

  /** Ends the connections, and with them whatever they lock. */
  async drop(): Promise<void> {
    const { candidate } = this;
    this.candidate = null;
    if (candidate !== null) await Promise.all([disconnect(candidate.reader), disconnect(candidate.writer)]);
  }

  private async connect(): Promise<Candidate> {
    const writer = await this.connectCore('writer');
    try {
      await this.assertDurable(writer);
      return { writer, reader: await this.connectCore('reader') };
    } catch (error) {
      await disconnect(writer);
      throw error;
    }
  }

  private async begin({ writer, reader }: Candidate, leader: LeaderTerm): Promise<Term> {
    await Promise.all([
      this.assertDurable(writer).then(() => this.conditions.ownHeads?.assertKept(writer)),
      // It may have been lost since it was connected.
      reader.query('SELECT 1'),
    ]);
    const held = (await this.aspirant.companion?.ordersAt(leader.lastSequence)) ?? null;
    const connectProjector = (): Promise<pg.Client> => this.connectCore('projector');
    return Term.begin({ writer, reader, connectProjector, log: this.log }, leader, this.options, held);
  }

  private async assertDurable(writer: PrimaryClient): Promise<void> {
    await assertDurable(writer);
    await this.conditions.syncStandby?.assertSyncStandby(writer);
  }
}
