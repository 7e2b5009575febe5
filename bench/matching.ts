/**
 * The matching alone: plan and book, the very code that the engine runs, against npm's
 * `nodejs-order-book` on the same seeded stream. Both must come to the same trades.
 *
 * `node dist/bench/matching.js`; `COMMANDS` and `SEED` may be set.
 */
import { pathToFileURL } from 'node:url';
import { OrderBook as PeerBook, type LimitOrderOptions, Side as PeerSide } from 'nodejs-order-book';
import { BareMatching, type StreamCommand } from './bare-matching.js';
import { streamOf } from './order-stream.js';

/** Both contestants alternate, this many commands each, so that other load slows both alike. */
const TURN = 50_000;

/**
 * How many orders the book holds on its 200 levels: the figure of record, and a shallow one beside it,
 * since the peer walks all orders of a level to take one out and so depends on it.
 */
const DEPTHS = [20_000, 2_000] as const;

export interface MatchingRow {
  readonly restingOrders: number;
  readonly trades: number;
  readonly oursPerSecond: number;
  readonly peerPerSecond: number;
  /** Ours divided by the peer's. */
  readonly ratio: number;
}

export interface MatchingBench {
  readonly commands: number;
  readonly seed: number;
  /** The figure of record first. */
  readonly rows: readonly MatchingRow[];
}

/** Throws where the two do not trade the same. */
export async function benchMatching(commands = 1_000_000, seed = 1): Promise<MatchingBench> {
  const rows: MatchingRow[] = [];
  for (const restingOrders of DEPTHS) {
    const stream = streamOf(commands, restingOrders, seed);
    await timeInTurns(stream.slice(0, 2 * TURN), [new OurContestant(), new PeerContestant()]);
    const ours = new OurContestant();
    const peer = new PeerContestant();
    const [ourSeconds, peerSeconds] = await timeInTurns(stream, [ours, peer]);
    if (ours.traded !== peer.traded) throw new Error(`we traded ${ours.traded}, the peer ${peer.traded}`);
    rows.push({
      restingOrders,
      trades: peer.trades,
      oursPerSecond: commands / ourSeconds!,
      peerPerSecond: commands / peerSeconds!,
      ratio: peerSeconds! / ourSeconds!,
    });
  }
  return { commands, seed, rows };
}

interface Contestant {
  /** Trades and lots, to be compared. */
  readonly traded: string;
  /** Converts commands to the contestant's own form; only the returned function is timed. */
  prepare(commands: readonly StreamCommand[]): () => void;
}

/** How many seconds each took. */
async function timeInTurns(
  stream: readonly StreamCommand[],
  contestants: readonly Contestant[],
): Promise<number[]> {
  const seconds = contestants.map(() => 0);
  for (let start = 0; start < stream.length; start += TURN) {
    const turn = stream.slice(start, start + TURN);
    contestants.forEach((contestant, index) => {
      const run = contestant.prepare(turn);
      const startedAt = performance.now();
      run();
      seconds[index]! += (performance.now() - startedAt) / 1_000;
    });
    // Lets a runner that shows progress breathe.
    await new Promise(setImmediate);
  }
  return seconds;
}

class OurContestant implements Contestant {
  private readonly matching = new BareMatching();

  get traded(): string {
    return `${this.matching.trades} times ${this.matching.lotsTraded} lots`;
  }

  prepare(commands: readonly StreamCommand[]): () => void {
    return () => {
      for (const command of commands) this.matching.apply(command);
    };
  }
}

class PeerContestant implements Contestant {
  trades = 0;
  private lotsTraded = 0;
  private readonly book = new PeerBook();

  get traded(): string {
    return `${this.trades} times ${this.lotsTraded} lots`;
  }

  /** The peer wants texts as ids, and shall not pay for making them. */
  prepare(commands: readonly StreamCommand[]): () => void {
    const calls = commands.map((command): string | LimitOrderOptions => {
      if (command.kind === 'cancel') return String(command.id);
      const side = command.side === 'buy' ? PeerSide.BUY : PeerSide.SELL;
      return { id: String(command.id), side, size: command.lots, price: command.ticks };
    });
    return () => {
      for (const call of calls) {
        if (typeof call === 'string') this.book.cancel(call);
        else this.place(call);
      }
    };
  }

  private place(options: LimitOrderOptions): void {
    const { done, partial, quantityLeft } = this.book.limit(options);
    this.lotsTraded += options.size - quantityLeft;
    // A taker that was filled stands last among the done; the partial one is then the last maker.
    if (quantityLeft > 0) this.trades += done.length;
    else this.trades += done.length - 1 + (partial === null ? 0 : 1);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const commands = Number(process.env.COMMANDS ?? 1_000_000);
  const { rows, seed } = await benchMatching(commands, Number(process.env.SEED ?? 1));
  console.log(`${commands} commands, seed ${seed}`);
  for (const { restingOrders, trades, oursPerSecond, peerPerSecond, ratio } of rows) {
    const million = (perSecond: number): string => `${(perSecond / 1e6).toFixed(2)} M/s`;
    console.log(
      `${restingOrders} resting orders, ${trades} trades: src/domain/matching ${million(oursPerSecond)}, ` +
        `nodejs-order-book ${million(peerPerSecond)}, ratio ${ratio.toFixed(1)}`,
    );
  }
}
