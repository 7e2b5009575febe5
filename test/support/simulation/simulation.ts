/**
 * The core's single writer, as it is, on a store that loses, delays and repeats, in processes that die and stand still;
 * in virtual time, so that a seed always gives the same run. At the end everything that customers were told is compared
 * with the journal, the journal with a replay, and the tables with that.
 */
import { below, type Random, randomFrom } from '../../../bench/support/random.js';
import { LEASE_MS } from '../../../src/core/leadership/leadership.js';
import { genesis } from '../../../src/core/journal/checkpoint.js';
import { decodeCommands } from '../../../src/core/journal/journal.js';
import { type JournalEntry, readJournal } from '../../../src/core/journal/journal-reader.js';
import { JournalReplay } from '../../../src/core/journal/journal-replay.js';
import { unpack } from '../../../src/core/journal/packing.js';
import { PageHash, readPages } from '../../../src/core/state/state-pages.js';
import type { Term } from '../../../src/core/term/term.js';
import { auditState } from '../domain/audit.js';
import {
  type Asked,
  Customer,
  CUSTOMERS,
  type Exchange,
  nameOf,
  openingCommands,
  TRADERS,
} from './customers.js';
import { FaultyStore, NO_FAULTS } from './faulty-store.js';
import { SimulatedClient } from './simulated-client.js';
import { SimulatedProcess } from './simulated-process.js';
import type { Change, Row } from './store-rows.js';
import { ONLY_ROW } from './store-statements.js';
import { NOBODY, VirtualTime } from './virtual-time.js';

/** How long faults happen, and how long everything may take to come to rest after them. */
const TROUBLED_MS_MIN = 2_000;
const TROUBLED_MS_MAX = 8_000;
const REST_MS = 400_000;
/** How often somebody looks whether processes read what was acknowledged. */
const READ_EVERY_MS = 100;

export interface SimulationReport {
  readonly seed: number;
  /** The last journal row's hash: the same for the same seed. */
  readonly journalHash: string;
  readonly entries: number;
  readonly acknowledged: number;
  readonly askedAgain: number;
  readonly terms: number;
  readonly kills: number;
  readonly freezes: number;
  readonly cuts: number;
  readonly store: FaultyStore['counts'];
}

/** @throws at the first thing that is wrong, with the seed */
export async function simulate(seed: number): Promise<SimulationReport> {
  const time = new VirtualTime();
  const installed = time.install();
  try {
    return await new Simulation(seed, time).run();
  } catch (error) {
    throw new Error(`SIM_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    installed.restore();
  }
}

class Simulation implements Exchange {
  readonly random: Random;
  readonly processes: SimulatedProcess[];
  private readonly store: FaultyStore;
  private customers: Customer[] = [];
  private readonly names = new Map<string, number>();
  /** Where the journal has each name, and the last of these places that a customer was told of. */
  private readonly places = new Map<string, number>();
  private acknowledgedPlace = 0;
  private readonly faults: string[] = [];
  private readonly counts = { kills: 0, freezes: 0, cuts: 0 };
  private isTroubled = false;

  constructor(
    private readonly seed: number,
    readonly time: VirtualTime,
  ) {
    this.random = randomFrom(seed);
    this.store = new FaultyStore(time, this.random);
    this.store.onCommit = (changes) => this.noteCommit(changes);
    // Few accounts in memory: they are evicted and read again all the time. Few rows: the writer waits for the tables.
    const options = {
      outcomeWaitMs: 500 + this.random() * 20_000,
      accountsInMemoryMax: this.random() < 0.5 ? 5 : 1_000,
      ...(this.random() < 0.3 && { waitingRowsMax: 40 }),
      ...(this.random() < 0.3 && { limits: { openOrdersMax: 1_000, openStopsMax: 10 } }),
    };
    this.processes = Array.from(
      { length: 1 + below(this.random, 3) },
      (_, index) =>
        new SimulatedProcess(time, this.random, this.store, options, (message) =>
          this.fail(`process ${index}: ${message}`),
        ),
    );
  }

  async run(): Promise<SimulationReport> {
    await this.open();
    this.isTroubled = true;
    this.readAgainAndAgain();
    const done = this.customers.map((customer) => customer.run(() => !this.isTroubled));
    await this.trouble();
    let isDone = false;
    void Promise.all(done).then(() => (isDone = true));
    await this.until(() => isDone, 'all customers are answered');
    await this.comeToRest();
    return this.check();
  }

  timesInJournal(name: string): number {
    return this.names.get(name) ?? 0;
  }

  noteAcknowledged(name: string): void {
    this.acknowledgedPlace = Math.max(this.acknowledgedPlace, this.places.get(name) ?? 0);
  }

  fail(message: string): void {
    this.faults.push(`at ${Math.round(this.time.nowMs)} ms: ${message}`);
  }

  private async open(): Promise<void> {
    await this.until(() => this.leader() !== undefined, 'somebody leads');
    const ids: number[] = [];
    let answered = 0;
    const leader = this.leader()!;
    for (const command of openingCommands()) {
      leader.receive(0, (sequencer) => {
        void sequencer.submit({ commands: [command] }).then(({ outcomes: [outcome] }) => {
          answered++;
          if (outcome?.ok === true && outcome.result.type === 'account') ids.push(outcome.result.accountId);
        });
      });
    }
    await this.until(() => answered === openingCommands().length, 'the exchange opens');
    ids.sort((a, b) => a - b);
    let funded = 0;
    for (const accountId of ids) {
      leader.receive(0, (sequencer) => {
        const commands = ['USD', 'BTC'].map((asset) => fund(accountId, asset));
        void sequencer.submit({ commands }).then(() => funded++);
      });
    }
    await this.until(() => funded === TRADERS, 'the traders are funded');
    this.customers = Array.from(
      { length: CUSTOMERS },
      (_, index) => new Customer(this, index, ids[index % TRADERS]!),
    );
  }

  private leader(): SimulatedProcess | undefined {
    return this.processes.find(
      ({ isDead, isFrozen, sequencer }) => !isDead && !isFrozen && sequencer.currentTerm?.isFresh() === true,
    );
  }

  /** Whoever believes to lead answers readers, and must know of all that anybody was told before they asked. */
  private readAgainAndAgain(): void {
    const known = this.acknowledgedPlace;
    this.processes.forEach((process, index) => {
      process.receive(0, ({ currentTerm: term }) => {
        if (term?.isFresh() !== true || term.sequence >= known || this.trustsItsLease(process, term)) return;
        this.fail(`process ${index} read as of ${term.sequence}, and ${known} was acknowledged before`);
      });
    });
    this.time.after(READ_EVERY_MS, () => this.readAgainAndAgain(), NOBODY);
  }

  /** The one excuse for an old answer: the store has ended the lock, and that has not arrived; for half a lease. */
  private trustsItsLease(process: SimulatedProcess, { confirmedAtMs }: Term): boolean {
    return process.isUnaware && this.time.nowMs - confirmedAtMs < LEASE_MS / 2;
  }

  private async until(isDone: () => boolean, what: string): Promise<void> {
    await this.time.runUntil(() => this.faults.length > 0 || isDone(), this.time.nowMs + REST_MS, what);
    if (this.faults.length > 0) throw new Error(this.faults[0]);
  }

  private async trouble(): Promise<void> {
    const { random, time } = this;
    const troubledUntilMs = time.nowMs + TROUBLED_MS_MIN + random() * (TROUBLED_MS_MAX - TROUBLED_MS_MIN);
    const strikeEveryMs = 200 + random() * 2_000;
    this.store.faults = {
      refusedShare: random() < 0.5 ? 0.01 : 0,
      lateShare: random() < 0.5 ? 0.01 : 0,
      lateMsMax: 15_000,
      tornShare: random() < 0.7 ? 0.06 : 0,
    };
    while (time.nowMs < troubledUntilMs) {
      await time.runFor(random() * 2 * strikeEveryMs);
      if (this.faults.length > 0) throw new Error(this.faults[0]);
      this.strike();
    }
    this.isTroubled = false;
    this.store.faults = NO_FAULTS;
    for (const process of this.processes) process.thaw();
  }

  private strike(): void {
    const { random, time, processes } = this;
    const process = processes[below(random, processes.length)]!;
    const kind = random();
    if (kind < 0.2) return this.kill(process);
    if (kind < 0.35) return this.freeze(process);
    if (kind < 0.45) {
      if (!this.store.isUp) return;
      this.store.crash();
      time.after(200 + random() * 3_000, () => (this.store.isUp = true), NOBODY);
      return;
    }
    this.counts.cuts++;
    if (kind < 0.6) {
      process.cutOff(time.nowMs + this.absenceMs());
      return;
    }
    const clients = process.live();
    const client = clients[below(random, clients.length)];
    if (kind < 0.85) client?.lose({ serverLearnsInMs: random() * 3_000, drops: random() < 0.5 });
    else client?.loseServer(random() * 3_000);
  }

  private kill(process: SimulatedProcess): void {
    if (process.isDead || process.isFrozen) return;
    this.counts.kills++;
    process.kill();
    this.time.after(100 + this.random() * 6_000, () => process.restart(), NOBODY);
  }

  /** Mostly short; now and then so long that somebody else leads meanwhile. */
  private absenceMs(): number {
    return this.random() < 0.7 ? this.random() * 2_000 : this.random() * 2.5 * LEASE_MS;
  }

  private freeze(process: SimulatedProcess): void {
    if (process.isDead || process.isFrozen) return;
    this.counts.freezes++;
    process.freeze();
    this.time.after(this.absenceMs(), () => process.thaw(), NOBODY);
  }

  /** Once somebody leads and the tables are where the journal is. */
  private async comeToRest(): Promise<void> {
    const isAtRest = (): boolean => {
      const leader = this.leader();
      const term = leader?.sequencer.currentTerm;
      if (term == null || leader!.sequencer.depth > 0) return false;
      const row = this.store.tables.of('core_leader').get(ONLY_ROW)!;
      return (
        this.processes.every(({ isDead }) => !isDead) &&
        term.epoch === row.epoch &&
        term.sequence === row.last_sequence &&
        this.store.tables.of('core_projection').get(ONLY_ROW)!.sequence === term.sequence
      );
    };
    await this.until(isAtRest, 'the exchange comes to rest');
    // Whatever is still under way somewhere arrives.
    await this.time.runFor(30_000);
    await this.until(isAtRest, 'the exchange stays at rest');
  }

  private noteCommit(changes: readonly Change[]): void {
    for (const { table, row } of changes) {
      if (table !== 'journal' || row === null) continue;
      for (const command of decodeCommands(commandsIn(row))) {
        const name = nameOf(command);
        if (name === null) continue;
        this.names.set(name, this.timesInJournal(name) + 1);
        this.places.set(name, Number(row.last_sequence));
      }
    }
  }

  private async check(): Promise<SimulationReport> {
    const replay = new JournalReplay(genesis());
    const client = new SimulatedClient(this.store, NOBODY, 'reader', this.time);
    const entries = await this.soon(readJournal(client.asClient, 0, Number.MAX_SAFE_INTEGER));
    let epoch = 0;
    for (const entry of entries) {
      const fault = replay.take(entry);
      if (fault !== null) throw new Error(`the entry ${entry.lastSequence}: ${fault}`);
      if (entry.epoch < epoch) throw new Error(`epoch ${entry.epoch} wrote after epoch ${epoch}`);
      epoch = entry.epoch;
    }
    auditState(replay.state);
    const term = this.leader()!.sequencer.currentTerm!;
    if (term.stateHash() !== replay.stateHash)
      throw new Error('the leader has another state than the replay');
    await this.checkTables(client, replay);
    for (const { asked } of this.customers) for (const each of asked) this.checkTold(each);
    return this.report(entries);
  }

  private async checkTables(client: SimulatedClient, replay: JournalReplay): Promise<void> {
    const pages = new PageHash();
    const read = async (): Promise<void> => {
      await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      for await (const page of readPages(client.asClient)) pages.add(page);
    };
    await this.soon(read());
    const tables = pages.hash.parts();
    for (const [part, sum] of Object.entries(replay.stateParts))
      if (tables[part as keyof typeof tables] !== sum)
        throw new Error(`the stored ${part} are not what the journal leads to`);
    const { numbers } = this.accountStreams();
    for (const [accountId, sequences] of numbers)
      if (sequences.some((sequence, index) => sequence !== index + 1))
        throw new Error(`the stream of account ${accountId} has a gap`);
  }

  private accountStreams(): { numbers: Map<number, number[]> } {
    const numbers = new Map<number, number[]>();
    for (const { account_id, sequence } of this.store.tables.of('account_changes').values()) {
      const known = numbers.get(account_id as number) ?? [];
      numbers.set(account_id as number, known);
      known.push(sequence as number);
    }
    for (const known of numbers.values()) known.sort((a, b) => a - b);
    return { numbers };
  }

  /** What it was told, once and for all, must be what became of it. */
  private checkTold({ name, told, open }: Asked): void {
    const times = this.timesInJournal(name);
    if (times > 1) throw new Error(`${name} was carried out ${times} times`);
    const isAcknowledged = told.some((one) => one.kind === 'outcome' && one.outcome.ok);
    if (isAcknowledged && times !== 1) throw new Error(`${name} was acknowledged and is not in the journal`);
    const isSurelyNot = told.every(
      (one) =>
        (one.kind === 'outcome' && !one.outcome.ok) ||
        (one.kind === 'failure' && one.code === 'temporarily_unavailable'),
    );
    if (isSurelyNot && open === 0 && times > 0)
      throw new Error(`${name} was always refused and is in the journal`);
  }

  private report(entries: readonly JournalEntry[]): SimulationReport {
    const all = this.customers.flatMap(({ asked }) => asked);
    return {
      seed: this.seed,
      journalHash: entries.at(-1)!.hash,
      entries: entries.length,
      acknowledged: all.filter(({ told }) => told.some(({ kind }) => kind === 'outcome')).length,
      askedAgain: all.filter(({ told }) => told.length > 1).length,
      terms: this.processes.reduce((sum, { terms }) => sum + terms, 0),
      ...this.counts,
      store: this.store.counts,
    };
  }

  private async soon<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    work.then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await this.until(() => isDone, 'the store answers');
    return work;
  }
}

function fund(accountId: number, asset: string): Parameters<typeof nameOf>[0] {
  return {
    type: 'move_money',
    debit: { rail: 'demo' },
    credit: { accountId },
    asset,
    amount: '100000',
    reason: 'deposit',
    reference: `fund ${accountId} ${asset}`,
  };
}

function commandsIn({ commands, packed_commands }: Row): string {
  return (commands as string | null) ?? unpack(packed_commands as Buffer).toString();
}
