import { ApiError } from '../http/errors.js';
import type { Principal } from './principal.js';
import { handleForAll } from '../turns/owner.js';
import { growingCache } from '../growing-cache.js';
import { TEMPORARILY_UNAVAILABLE } from '../http/error-codes.js';

/** The stored state of a credential, found by its digest. */
export interface Credential<Answer = Principal> {
  /** The principal, or whatever else it stands for. */
  readonly answer: Answer;
  /** When it expires; `Infinity` for never. */
  readonly expiresAtMs: number;
  /**
   * The keys of all holders whose end is its end too: its client, user, grant, and the owner of its client or of
   * itself.
   */
  readonly heldBy: readonly string[];
  /** Nothing changes it that a watch does not tell of. */
  readonly isWatched?: boolean;
}

/** Tells of all credentials at once whether any has changed; see `KeyWatch`. */
export interface CredentialWatch<Answer = Principal> {
  /** Up to which moment nothing has changed since another one, both on the monotonic clock. */
  unchangedUntilMs(sinceMs: number): number;
  /** One was used that need not be asked for. */
  noteUse(answer: Answer): void;
}

/** Finds credentials by their digests; unknown and revoked ones are absent from the result. */
export type FindCredentials<Answer = Principal> = (
  digests: readonly string[],
) => Promise<ReadonlyMap<string, Credential<Answer>>>;

interface Entry<Answer> {
  readonly credential: Credential<Answer>;
  /** One promise, shared by all look-ups. */
  readonly answer: Promise<Answer>;
  /** When the store was queried, by a monotonic clock. */
  readonly askedAtMs: number;
  isBeingRefreshed: boolean;
}

interface Question<Answer> {
  readonly answer: () => Promise<Answer | undefined>;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

const ENTRIES_MAX = 20_000;
const QUESTIONS_MAX = 10_000;
const QUESTIONS_PER_QUERY_MAX = 500;

/** The maximum age of an entry: a revocation in another process takes effect here after this time at the latest. */
const STALE_AFTER_MS = 1_000;
/** From this age on an entry is refreshed in the background while it is still served. */
const REFRESH_AFTER_MS = 500;
/** The maximum age of an entry of which only a watch tells that it holds. */
const WATCHED_MS_MAX = 60_000;

const NOBODY: Promise<undefined> = Promise.resolve(undefined);

/**
 * A cache of credentials: a busy one costs a map look-up and one query each half second, or each minute where a watch
 * tells that it holds. At most one query runs at a time, for all digests requested meanwhile, so a flood of invented
 * credentials costs the database no more than a few.
 */
export class CredentialCache<Answer = Principal> {
  private readonly entries = growingCache<string, Entry<Answer>>(ENTRIES_MAX);
  private questions = new Map<string, Question<Answer>>();
  private isAsking = false;
  /** Counts invalidations: an answer that was in flight meanwhile is not cached. */
  private forgotten = 0;

  constructor(
    private readonly find: FindCredentials<Answer>,
    private readonly watch: CredentialWatch<Answer> | null = null,
  ) {}

  /**
   * The principal of a digest, or `undefined`. Rejects as `find` does, and with `temporarily_unavailable` (503) when
   * too many look-ups wait.
   */
  lookUp(digest: string): Promise<Answer | undefined> {
    const entry = this.entries.get(digest);
    if (entry === undefined) return this.ask(digest);
    if (hasExpired(entry.credential)) {
      this.entries.delete(digest);
      return NOBODY;
    }
    const ageMs = this.ageOf(entry);
    if (ageMs >= STALE_AFTER_MS) return this.ask(digest);
    if (ageMs >= REFRESH_AFTER_MS) this.refresh(digest, entry);
    return entry.answer;
  }

  /** Whether a digest was valid at its last look-up, however long ago. */
  knows(digest: string): boolean {
    const entry = this.entries.peek(digest);
    return entry !== undefined && !hasExpired(entry.credential);
  }

  /** Makes the next look-up query the store, whatever is cached or in flight. */
  forget(digest: string): void {
    this.forgotten++;
    this.entries.delete(digest);
  }

  /** Invalidates every credential of `holder`. Rare, so it may scan all entries. */
  forgetAllOf(holder: string): void {
    this.forgotten++;
    for (const [digest, { credential }] of this.entries.entries()) {
      if (credential.heldBy.includes(holder)) this.entries.delete(digest);
    }
  }

  /** Since it was last known to hold. */
  private ageOf({ credential, askedAtMs }: Entry<Answer>): number {
    const nowMs = performance.now();
    const ageMs = nowMs - askedAtMs;
    if (this.watch === null || credential.isWatched !== true) return ageMs;
    if (ageMs < REFRESH_AFTER_MS || ageMs >= WATCHED_MS_MAX) return ageMs;
    this.watch.noteUse(credential.answer);
    return Math.min(ageMs, nowMs - this.watch.unchangedUntilMs(askedAtMs));
  }

  private refresh(digest: string, entry: Entry<Answer>): void {
    if (entry.isBeingRefreshed) return;
    entry.isBeingRefreshed = true;
    // Nobody waits for this refresh: the entry serves until it is stale; then the next look-up queries and gets the
    // error.
    this.ask(digest).catch(() => undefined);
  }

  private ask(digest: string): Promise<Answer | undefined> {
    const asked = this.questions.get(digest);
    if (asked) return asked.answer();
    if (this.questions.size >= QUESTIONS_MAX) return Promise.reject(tooManyQuestions());
    const answer = new Promise<Answer | undefined>((resolve, reject) => {
      this.questions.set(digest, { answer: () => answer, resolve, reject });
    });
    if (!this.isAsking) void handleForAll(() => this.answerQuestions());
    return answer;
  }

  private async answerQuestions(): Promise<void> {
    this.isAsking = true;
    while (this.questions.size > 0) await this.answerSome(this.takeQuestions());
    this.isAsking = false;
  }

  private takeQuestions(): ReadonlyMap<string, Question<Answer>> {
    const all = this.questions;
    if (all.size <= QUESTIONS_PER_QUERY_MAX) {
      this.questions = new Map();
      return all;
    }
    const some = new Map([...all].slice(0, QUESTIONS_PER_QUERY_MAX));
    for (const digest of some.keys()) all.delete(digest);
    return some;
  }

  private async answerSome(questions: ReadonlyMap<string, Question<Answer>>): Promise<void> {
    const askedAtMs = performance.now();
    const forgottenBefore = this.forgotten;
    try {
      const found = await this.find([...questions.keys()]);
      const mayRemember = this.forgotten === forgottenBefore;
      for (const [digest, question] of questions) {
        const credential = found.get(digest);
        if (credential === undefined || hasExpired(credential)) {
          this.entries.delete(digest);
          question.resolve(undefined);
          continue;
        }
        if (mayRemember) this.remember(digest, credential, askedAtMs);
        question.resolve(credential.answer);
      }
    } catch (error) {
      for (const question of questions.values()) question.reject(error);
    }
  }

  private remember(digest: string, credential: Credential<Answer>, askedAtMs: number): void {
    const answer = Promise.resolve(credential.answer);
    this.entries.set(digest, { credential, answer, askedAtMs, isBeingRefreshed: false });
  }
}

function hasExpired(credential: Credential<unknown>): boolean {
  return Date.now() >= credential.expiresAtMs;
}

function tooManyQuestions(): ApiError {
  return new ApiError(TEMPORARILY_UNAVAILABLE, 'Too many credentials are being checked; try again shortly.', {
    headers: { 'Retry-After': '1' },
  });
}
