import type { Owner } from './owner.js';
import { type TurnBounds, TurnQueue } from './turn-queue.js';

/** A queue for each of any number of things, such as rooms, as long as anything runs or waits there. */
export class TurnQueues {
  private readonly queues = new Map<string, TurnQueue>();

  constructor(private readonly bounds: TurnBounds) {}

  /** As `TurnQueue.take`, in the queue of that name. */
  async take<Result>(name: string, owner: Owner, work: () => Promise<Result>): Promise<Result> {
    let queue = this.queues.get(name);
    if (queue === undefined) this.queues.set(name, (queue = new TurnQueue(this.bounds)));
    try {
      return await queue.take(owner, work);
    } finally {
      if (queue.isIdle) this.queues.delete(name);
    }
  }
}
