const MINUTE_MS = 60_000;
/** Bans grow from the first to the second, as the dialect documents it. */
const SHORTEST_MS = 2 * MINUTE_MS;
const LONGEST_MS = 3 * 24 * 60 * MINUTE_MS;
/** Who has not been banned for so long begins anew. */
const FORGOTTEN_AFTER_MS = LONGEST_MS;
/** Beyond this the oldest is forgotten. */
const OFFENDERS_MAX = 50_000;

interface Offender {
  readonly bans: number;
  readonly untilMs: number;
}

/** Addresses that went on after they were refused, in this process; those who do it again are banned for longer. */
export class Bans {
  private readonly offenders = new Map<string, Offender>();

  /** When the ban of an address ends; `undefined` where it is not banned. */
  endOf(address: string, nowMs: number): number | undefined {
    const untilMs = this.offenders.get(address)?.untilMs;
    return untilMs !== undefined && untilMs > nowMs ? untilMs : undefined;
  }

  /** Returns when the ban ends. */
  ban(address: string, nowMs: number): number {
    const earlier = this.offenders.get(address);
    const isForgotten = earlier === undefined || nowMs - earlier.untilMs > FORGOTTEN_AFTER_MS;
    const bans = isForgotten ? 0 : earlier.bans;
    const untilMs = nowMs + Math.min(SHORTEST_MS * 2 ** bans, LONGEST_MS);
    this.offenders.delete(address);
    this.offenders.set(address, { bans: bans + 1, untilMs });
    if (this.offenders.size > OFFENDERS_MAX) this.offenders.delete(this.offenders.keys().next().value!);
    return untilMs;
  }
}
