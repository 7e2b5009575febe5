/** Maximum number of due deliveries held in memory for one endpoint; the rest stays in the table. */
export const HELD_PER_ENDPOINT_MAX = 32;

/** Concurrent attempts for an endpoint whose last attempt succeeded, and for one that keeps succeeding. */
const SLOTS_AT_FIRST = 2;
const SLOTS_MAX = 8;
/** A slower endpoint gets no more concurrent attempts. */
const QUICK_MS = 2_000;

/** A due delivery, as far as the lane needs it. */
export interface DueDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  /** The number of attempts so far. */
  readonly attempts: number;
  readonly step: number;
}

/** An endpoint, as deliveries need it. */
export interface Target {
  readonly endpointId: string;
  readonly url: string;
  /** One at a time; what comes after one that fails waits for it. */
  readonly isOrdered: boolean;
  readonly sealedSecret: Buffer;
  readonly sealedPreviousSecret: Buffer | null;
  readonly previousSecretUntil: Date | null;
}

/**
 * The due deliveries of one endpoint. Concurrency grows while the endpoint answers; before its first answer and after a
 * failure it is one, so that an endpoint which hangs holds no more than one slot; and always, where the order counts.
 */
export class DeliveryLane {
  private readonly waiting: DueDelivery[] = [];
  private readonly held = new Set<string>();
  readonly isOrdered: boolean;
  private slots: number;
  private running = 0;
  private isMoreInTable = false;

  constructor(
    public target: Target,
    /** Whether its last known attempt succeeded. */
    private proven: boolean,
  ) {
    this.isOrdered = target.isOrdered;
    this.slots = proven && !this.isOrdered ? SLOTS_AT_FIRST : 1;
  }

  get isProven(): boolean {
    return this.proven;
  }

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  /** Whether a waiting attempt may begin. */
  get isReady(): boolean {
    return this.waiting.length > 0 && this.running < this.slots;
  }

  /** Whether the table has more, and the deliveries in memory may not last until the next look. */
  get isRunningDry(): boolean {
    return this.isMoreInTable && this.waiting.length <= this.slots;
  }

  /**
   * Adds the oldest due deliveries, except those it holds already and those that have `ended` since they were read: what
   * comes after one of these may have to wait for it, where the order counts.
   */
  add(due: readonly DueDelivery[], ended: ReadonlySet<string>): void {
    this.isMoreInTable = due.length >= HELD_PER_ENDPOINT_MAX;
    if (this.isOrdered && due.some(({ deliveryId }) => ended.has(deliveryId))) return;
    for (const delivery of due) {
      if (this.held.has(delivery.deliveryId) || ended.has(delivery.deliveryId)) continue;
      this.held.add(delivery.deliveryId);
      this.waiting.push(delivery);
    }
  }

  begin(): DueDelivery {
    this.running++;
    return this.waiting.shift()!;
  }

  /** An attempt has ended. Its delivery stays held until the result is recorded, and so does the slot of an ordered one. */
  end(succeeded: boolean, durationMs: number): void {
    if (!this.isOrdered) this.running--;
    this.proven = succeeded;
    if (!succeeded || this.isOrdered) this.slots = 1;
    else if (durationMs > QUICK_MS) this.slots = Math.min(this.slots, SLOTS_AT_FIRST);
    else this.slots = Math.min(this.slots + 1, SLOTS_MAX);
  }

  /** The result is recorded. */
  release({ deliveryId }: DueDelivery): void {
    this.held.delete(deliveryId);
    if (!this.isOrdered) return;
    this.running--;
    if (!this.proven) this.clear();
  }

  /** Drops the deliveries that have not begun. */
  clear(): void {
    for (const { deliveryId } of this.waiting.splice(0)) this.held.delete(deliveryId);
  }

  /** Begins no more: another lane takes its place once its last attempt has ended. */
  retire(): void {
    this.clear();
    this.isMoreInTable = true;
  }
}
