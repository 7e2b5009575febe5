export interface GroupCommitOptions {
  /** So many items at most are committed together. */
  readonly batchMax: number;
  /** Where so many wait already, the next is refused with what `refuse` makes. */
  readonly waitingMax?: number;
  readonly refuse?: () => Error;
  /** Nothing waits and nothing is being committed any more. */
  readonly onIdle?: () => void;
}

/**
 * Commits one batch, and answers the result of each item, in their order: an `Error` refuses its item alone.
 * `take` gives the items, always the same within one commit; called late, it also gives those that came meanwhile.
 */
export type Commit<Item, Result> = (take: () => readonly Item[]) => Promise<readonly (Result | Error)[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: items that come while one batch is committed go together with the next one. So many at once cost
 * few commits, and a single one waits for nobody. Batches are committed one after the other.
 */
export class GroupCommit<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private isCommitting = false;

  constructor(
    private readonly options: GroupCommitOptions,
    private readonly commit: Commit<Item, Result>,
  ) {}

  /** Resolves with the item's result once it is committed. Rejects with its refusal, or as its batch does. */
  add(item: Item): Promise<Result> {
    const { waitingMax = Infinity, refuse } = this.options;
    return new Promise((resolve, reject) => {
      if (this.waiting.length >= waitingMax) {
        reject(refuse?.() ?? new Error('too many items wait for their commit'));
        return;
      }
      this.waiting.push({ item, resolve, reject });
      if (!this.isCommitting) void this.commitAll();
    });
  }

  private async commitAll(): Promise<void> {
    this.isCommitting = true;
    while (this.waiting.length > 0) await this.commitNext();
    this.isCommitting = false;
    this.options.onIdle?.();
  }

  private async commitNext(): Promise<void> {
    let batch: Waiting<Item, Result>[] = [];
    const take = (): readonly Item[] => {
      if (batch.length === 0) batch = this.waiting.splice(0, this.options.batchMax);
      return batch.map(({ item }) => item);
    };
    try {
      const results = await this.commit(take);
      if (results.length !== batch.length || batch.length === 0) {
        throw new Error(`a batch of ${batch.length} has ${results.length} results`);
      }
      batch.forEach((waiting, place) => settle(waiting, results[place]!));
    } catch (error) {
      // Without a batch it is the first item whose turn has failed.
      if (batch.length === 0) batch = this.waiting.splice(0, 1);
      for (const { reject } of batch) reject(error);
    }
  }
}

function settle<Item, Result>({ resolve, reject }: Waiting<Item, Result>, result: Result | Error): void {
  if (result instanceof Error) reject(result);
  else resolve(result);
}
