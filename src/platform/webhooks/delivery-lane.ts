/** So much that is due is kept at hand for one endpoint; the rest stays in the table. */
export const HELD_PER_ENDPOINT_MAX = 32;

/** How many attempts may run at once at an endpoint that answered last time, and at one that answers well. */
const SLOTS_AT_FIRST = 2;
const SLOTS_MAX = 8;
/** An endpoint that takes longer is not asked for more at once. */
const QUICK_MS = 2_000;

/** A delivery that is due, as far as the lane needs to know it. */
export interface DueDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  /** How often it was tried. */
  readonly attempts: number;
  readonly step: number;
}

/** An endpoint, as deliveries need it. */
export interface Target {
  readonly endpointId: string;
  readonly url: string;
  readonly sealedSecret: Buffer;
  readonly sealedPreviousSecret: Buffer | null;
  readonly previousSecretUntil: Date | null;
}

/**
 * What is due at one endpoint. The better it answers, the more may run at once; until it has answered, and after
 * a failure, it is one at a time, so that an endpoint which hangs holds no more than that.
 */
export class DeliveryLane {
  private readonly waiting: DueDelivery[] = [];
  private readonly held = new Set<string>();
  private slots: number;
  private running = 0;
  private isMoreInTable = false;

  constructor(
    public target: Target,
    /** Whether its last attempt, of which somebody knows, succeeded. */
    private proven: boolean,
  ) {
    this.slots = proven ? SLOTS_AT_FIRST : 1;
  }

  get isProven(): boolean {
    return this.proven;
  }

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  /** Whether an attempt waits that may begin. */
  get isReady(): boolean {
    return this.waiting.length > 0 && this.running < this.slots;
  }

  /** Whether the table has more, and what is at hand may not last until the next look. */
  get isRunningDry(): boolean {
    return this.isMoreInTable && this.waiting.length <= this.slots;
  }

  /** Takes in the oldest that are due, except what it holds already and what has `ended` since they were read. */
  add(due: readonly DueDelivery[], ended: ReadonlySet<string>): void {
    this.isMoreInTable = due.length >= HELD_PER_ENDPOINT_MAX;
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

  /** An attempt has ended. Its delivery stays held until what came of it is on record. */
  end(succeeded: boolean, durationMs: number): void {
    this.running--;
    this.proven = succeeded;
    if (!succeeded) this.slots = 1;
    else if (durationMs > QUICK_MS) this.slots = Math.min(this.slots, SLOTS_AT_FIRST);
    else this.slots = Math.min(this.slots + 1, SLOTS_MAX);
  }

  release({ deliveryId }: DueDelivery): void {
    this.held.delete(deliveryId);
  }

  /** Forgets what has not begun. */
  clear(): void {
    for (const delivery of this.waiting.splice(0)) this.release(delivery);
  }
}
