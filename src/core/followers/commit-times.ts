/** Commits that are closer together count as one. */
const APART_MS = 20;
/** As many as make 40 seconds, which is further back than the writer waits for anybody. */
const PLACES_MAX = 2_000;

interface Place {
  /** On the monotonic clock. */
  readonly atMs: number;
  sequence: number;
}

/** When the ledger sequence was where, since the term began. */
export class CommitTimes {
  private readonly places: Place[] = [];
  private beganAt = 0;

  /** The last that was committed. */
  get sequence(): number {
    return this.places.at(-1)?.sequence ?? 0;
  }

  /** Whether that is beyond where the term began. */
  isOfTerm(sequence: number): boolean {
    return sequence > this.beganAt;
  }

  /** The first is where the term began. */
  note(sequence: number, atMs: number): void {
    if (this.places.length === 0) this.beganAt = sequence;
    else if (sequence === this.sequence) return;
    const last = this.places.at(-1);
    if (last !== undefined && this.places.length > 1 && atMs - last.atMs < APART_MS) last.sequence = sequence;
    else this.places.push({ atMs, sequence });
    if (this.places.length > PLACES_MAX) this.places.shift();
  }

  /** Where the sequence was then, as far back as is known. */
  sequenceAt(atMs: number): number {
    const after = this.firstWhere((place) => place.atMs > atMs);
    return this.places[Math.max(0, after - 1)]?.sequence ?? 0;
  }

  /** When the first commit after a sequence was made; null where there is none. */
  firstAfter(sequence: number): number | null {
    return this.places[this.firstWhere((place) => place.sequence > sequence)]?.atMs ?? null;
  }

  /** The index of the first place for which that holds, as it does for all after it; the writer asks before its batches. */
  private firstWhere(holds: (place: Place) => boolean): number {
    let [low, high] = [0, this.places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.places[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
