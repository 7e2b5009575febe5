import type { BenchService } from './bench-service.js';
import type { Figure } from './figures.js';
import type { LoadGenerator } from './load-generator.js';
import type { RoundOptions } from './rounds.js';

/** How much of everything there is. */
export interface Sizes {
  /** For how long batches are sustained. */
  readonly sustainedSeconds: number;
  /** How many leaders are killed, and how many are stopped. */
  readonly failovers: number;
  /** How many hold positions of a market that settles. */
  readonly holders: number;
  /** For how long all attacks go on at once; null for each by itself. */
  readonly minutes: number | null;
  /** What the names of attacks have in them, each by itself. */
  readonly attack: string;
  /** To how many accounts something is owed. */
  readonly accounts: number;
  /** The longest history, in orders or fills. */
  readonly history: number;
}

/** What a section of the bench works with. */
export interface BenchContext {
  readonly service: BenchService;
  readonly load: LoadGenerator;
  readonly rounds: RoundOptions;
  readonly sizes: Sizes;
  /** Of each service that a section starts. */
  readonly nodeArgs: readonly string[];
  /** Makes another database on the same server, for a second service; answers its address. */
  createDatabase(name: string): Promise<string>;
}

export interface Section {
  readonly run: (context: BenchContext) => Promise<Figure[]>;
  /** In a whole run on two cores. */
  readonly plannedSeconds: number;
  /** Whether it also says something without fees, keys and many accounts. */
  readonly isPlain?: true;
}
