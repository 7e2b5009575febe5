import type { BenchService } from './bench-service.js';
import type { LoadGenerator } from './load-generator.js';
import type { RoundOptions } from './rounds.js';

/** What a section of the bench works with. */
export interface BenchContext {
  readonly service: BenchService;
  readonly load: LoadGenerator;
  readonly rounds: RoundOptions;
  /** How many leaders are killed, and how many are stopped. */
  readonly failovers: number;
  /** Makes another database on the same server, for a second service; answers its address. */
  createDatabase(name: string): Promise<string>;
}
