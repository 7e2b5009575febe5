import { handleForAll, presentOwner } from '../turns/owner.js';
import { Turns } from '../turns/turns.js';

export interface GroupCommitOptions {
  /** The most items in one commit. */
  readonly batchMax: number;
  /** If so many items wait, one of whoever has the most is refused with the error of `refuse`. */
  readonly waitingMax?: number;
  readonly refuse?: () => Error;
  /** Called when nothing waits and nothing is being committed. */
  readonly onIdle?: () => void;
}

/**
 * Commits one batch and returns the result of each item in order: an `Error` refuses only its item. `take` gives the
 * items, always the same within one commit; a late call also includes items that arrived meanwhile.
 */
export type Commit<Item, Result> = (take: () => readonly Item[]) => Promise<readonly (Result | Error)[]>;

interface Waiting<Item, Result> {
  /** In the order in which they came. */
  readonly number: number;
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: items that arrive while a batch is committed go together into the next one. So many concurrent items
 * need few commits, and a single item does not wait for more. Batches are committed one after the other. Where one does
 * not take all that waits, owners take turns; within a batch items are in the order in which they came.
 */
export class GroupCommit<Item, Result> {
  private readonly waiting = new Turns<Waiting<Item, Result>>();
  private isCommitting = false;
  private lastNumber = 0;

  constructor(
    private readonly options: GroupCommitOptions,
    private readonly commit: Commit<Item, Result>,
  ) {}

  /** Resolves with the item's result once it is committed. Rejects with its refusal, or as its batch does. */
  add(item: Item): Promise<Result> {
    const { waitingMax = Infinity, refuse = () => new Error('too many items wait for their commit') } =
      this.options;
    const owner = presentOwner();
    return new Promise((resolve, reject) => {
      if (this.waiting.size >= waitingMax) {
        const displaced = this.waiting.displaceFor(owner);
        if (displaced === undefined) {
          reject(refuse());
          return;
        }
        displaced.reject(refuse());
      }
      this.waiting.add(owner, { number: ++this.lastNumber, item, resolve, reject });
      if (!this.isCommitting) void handleForAll(() => this.commitAll());
    });
  }

  private async commitAll(): Promise<void> {
    this.isCommitting = true;
    while (this.waiting.size > 0) await this.commitNext();
    this.isCommitting = false;
    this.options.onIdle?.();
  }

  private async commitNext(): Promise<void> {
    let batch: Waiting<Item, Result>[] = [];
    const take = (): readonly Item[] => {
      if (batch.length === 0) batch = this.takeBatch(this.options.batchMax);
      return batch.map(({ item }) => item);
    };
    try {
      const results = await this.commit(take);
      if (results.length !== batch.length || batch.length === 0) {
        throw new Error(`a batch of ${batch.length} has ${results.length} results`);
      }
      batch.forEach((waiting, place) => settle(waiting, results[place]!));
    } catch (error) {
      // If the commit took no batch, it fails the first waiting item.
      if (batch.length === 0) batch = this.takeBatch(1);
      for (const { reject } of batch) reject(error);
    }
  }

  private takeBatch(sizeMax: number): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    while (batch.length < sizeMax) {
      const next = this.waiting.next();
      if (next === undefined) break;
      batch.push(next);
    }
    return batch.sort((one, other) => one.number - other.number);
  }
}

function settle<Item, Result>({ resolve, reject }: Waiting<Item, Result>, result: Result | Error): void {
  if (result instanceof Error) reject(result);
  else resolve(result);
}
