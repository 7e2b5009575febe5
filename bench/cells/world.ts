/**
 * Cells, the network between them and their clients, in ticks of a clock that nothing else moves. A step is one turn
 * of one cell, a crash or a recovery; after each of them money is counted. The same options give the same run.
 */
import { below, type Random, randomFrom } from '../support/random.js';
import { Cell } from './cell.js';
import type { CellCommand } from './cell-state.js';
import { Conservation, reconcile } from './conservation.js';
import { Network, type NetworkFaults, NO_FAULTS } from './network.js';
import { Traffic, type TrafficTerms } from './traffic.js';
import type { CellMessage } from './transfer-protocol.js';

export interface WorldOptions extends TrafficTerms {
  readonly seed: number;
  readonly cells: number;
  /** Orders and cancels that a cell takes in a turn. */
  readonly batch: number;
  readonly network: NetworkFaults;
  /** The chance that a cell crashes in a turn, and how many ticks at most it stays down. */
  readonly crashChance: number;
  readonly downTicksMax: number;
  readonly retryAfterTicks: number;
}

export interface WorldReport {
  readonly steps: number;
  readonly ticks: number;
  readonly crashes: number;
  readonly replayedCommands: number;
  /** CPU of all turns, without replays and without counting the money. */
  readonly cpuMs: number;
  /** The CPU of the cell that used most. */
  readonly busiestCpuMs: number;
}

/** So long may it take until nothing is under way once the network is sound; more is a fault. */
const DRAIN_TICKS_MAX = 2_000;

export class World {
  readonly cells: readonly Cell[];
  readonly network: Network;
  readonly conservation = new Conservation();
  private readonly random: Random;
  private readonly traffic: readonly Traffic[];
  /** When a cell that is down comes back. */
  private readonly upAtTick = new Map<Cell, number>();
  private readonly cpuMs: number[];
  private tick = 0;
  private steps = 0;
  private crashes = 0;
  private replayedCommands = 0;
  private crashChance: number;

  constructor(private readonly options: WorldOptions) {
    this.random = randomFrom(options.seed);
    this.cells = Array.from({ length: options.cells }, (_, index) => new Cell(`cell-${index}`));
    this.traffic = this.cells.map(
      (_, index) => new Traffic(this.cells, index, options, this.random, options.seed + index),
    );
    const names = this.cells.map(({ name }) => name);
    this.network = new Network(names, this.random, options.network);
    this.cpuMs = this.cells.map(() => 0);
    this.crashChance = options.crashChance;
    for (const [index, cell] of this.cells.entries()) {
      const traffic = this.traffic[index]!;
      for (const commands of [() => traffic.opening(), () => traffic.funding()]) {
        cell.apply(commands(), 0);
        this.conservation.committed(cell, cell.commit());
      }
    }
  }

  /** Runs until all clients are served and nothing is in flight. @throws if money is not conserved */
  run(): WorldReport {
    while (!this.traffic.every(({ isDone }) => isDone)) this.runTick();
    this.network.faults = NO_FAULTS;
    this.crashChance = 0;
    const deadlineTick = this.tick + DRAIN_TICKS_MAX;
    while (!this.isQuiet()) {
      if (this.tick > deadlineTick) throw new Error('transfers do not come to an end');
      this.runTick();
    }
    reconcile(this.cells);
    return {
      steps: this.steps,
      ticks: this.tick,
      crashes: this.crashes,
      replayedCommands: this.replayedCommands,
      cpuMs: this.cpuMs.reduce((sum, ms) => sum + ms, 0),
      busiestCpuMs: Math.max(...this.cpuMs),
    };
  }

  private runTick(): void {
    this.tick++;
    const arriving = this.network.arriving(this.tick);
    for (const [index, cell] of this.cells.entries()) {
      const messages = arriving.get(cell.name) ?? [];
      if (!cell.isUp) {
        this.network.lose(messages.length);
        if (this.upAtTick.get(cell)! <= this.tick) this.recover(cell);
      } else this.turn(index, cell, messages);
    }
  }

  private turn(index: number, cell: Cell, messages: readonly CellMessage[]): void {
    this.steps++;
    const traffic = this.traffic[index]!;
    const own = traffic.take(this.options.batch);
    const commands: CellCommand[] = [...own.map(({ command }) => command), ...messages];
    if (commands.length > 0) {
      const outcomes = this.metered(index, () => cell.apply(commands, this.tick));
      if (this.random() < this.crashChance) return this.crash(cell);
      const committed = this.metered(index, () => cell.commit());
      this.conservation.committed(cell, committed);
      // Durable, but not acknowledged yet.
      if (this.random() < this.crashChance) return this.crash(cell);
      traffic.acknowledge(own, outcomes);
      for (const verdict of committed.messages) this.network.send(verdict, this.tick);
    }
    const credits = this.metered(index, () => cell.dueCredits(this.tick, this.options.retryAfterTicks));
    for (const credit of credits) this.network.send(credit, this.tick);
  }

  private metered<T>(index: number, work: () => T): T {
    const startedAt = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(startedAt);
    this.cpuMs[index]! += (user + system) / 1_000;
    return result;
  }

  private crash(cell: Cell): void {
    this.crashes++;
    cell.crash();
    this.upAtTick.set(cell, this.tick + 1 + below(this.random, this.options.downTicksMax));
  }

  private recover(cell: Cell): void {
    this.steps++;
    this.replayedCommands += cell.recover();
    this.conservation.check(cell);
  }

  private isQuiet(): boolean {
    return this.cells.every((cell) => cell.isUp && cell.state.engine.state.holds.size === 0);
  }
}
