/** A network between cells that loses, delays, doubles and reorders messages, and cuts links for a while. */
import { below, type Random } from '../support/random.js';
import type { CellMessage } from './transfer-protocol.js';

export interface NetworkFaults {
  /** Shares of all messages, 0 to 1. */
  readonly lossShare: number;
  readonly duplicateShare: number;
  /** A message takes from 1 to this many ticks, so messages may overtake each other. */
  readonly delayTicksMax: number;
  /** The chance in each tick that a link is cut, and for how long. */
  readonly cutChance: number;
  readonly cutTicks: number;
}

export const NO_FAULTS: NetworkFaults = {
  lossShare: 0,
  duplicateShare: 0,
  delayTicksMax: 1,
  cutChance: 0,
  cutTicks: 0,
};

export class Network {
  faults: NetworkFaults;
  readonly counts = { sent: 0, lost: 0, duplicated: 0 };
  /** By the tick in which they arrive, then by their receiver. */
  private readonly underWay = new Map<number, Map<string, CellMessage[]>>();
  private readonly cutUntil = new Map<string, number>();

  constructor(
    private readonly cells: readonly string[],
    private readonly random: Random,
    faults: NetworkFaults,
  ) {
    this.faults = faults;
  }

  send(message: CellMessage, tick: number): void {
    this.counts.sent++;
    const isCut = (this.cutUntil.get(linkOf(message.from, message.to)) ?? 0) > tick;
    if (isCut || this.random() < this.faults.lossShare) {
      this.counts.lost++;
      return;
    }
    this.post(message, tick);
    if (this.random() >= this.faults.duplicateShare) return;
    this.counts.duplicated++;
    this.post(message, tick);
  }

  /** What arrives in this tick, by receiver; takes it from the network. */
  arriving(tick: number): ReadonlyMap<string, readonly CellMessage[]> {
    if (this.random() < this.faults.cutChance) {
      const [a, b] = [this.anyCell(), this.anyCell()];
      this.cutUntil.set(linkOf(a, b), tick + this.faults.cutTicks);
    }
    const arriving = this.underWay.get(tick) ?? new Map<string, CellMessage[]>();
    this.underWay.delete(tick);
    return arriving;
  }

  /** Counts messages whose receiver was down. */
  lose(count: number): void {
    this.counts.lost += count;
  }

  private post(message: CellMessage, tick: number): void {
    const at = tick + 1 + below(this.random, this.faults.delayTicksMax);
    const arriving = this.underWay.get(at) ?? new Map<string, CellMessage[]>();
    this.underWay.set(at, arriving);
    const messages = arriving.get(message.to) ?? [];
    arriving.set(message.to, messages);
    messages.push(message);
  }

  private anyCell(): string {
    return this.cells[below(this.random, this.cells.length)]!;
  }
}

/** One name for both directions. */
function linkOf(a: string, b: string): string {
  return a < b ? `${a}|${b}` : `${b}|${a}`;
}
