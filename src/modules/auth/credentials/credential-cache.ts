import { LRUCache } from 'lru-cache';
import { ApiError } from '../../../platform/http/errors.js';
import type { Principal } from '../../../platform/security/principal.js';

/** What the store knows of a credential, found by its digest. */
export interface Credential<Answer = Principal> {
  /** Who is behind it, or whatever else it stands for. */
  readonly answer: Answer;
  /** When it stops being good; `Infinity` where it never does. */
  readonly expiresAtMs: number;
  /** The keys of all whose end is its end too: its client, user, grant, and the owner of its client or of itself. */
  readonly heldBy: readonly string[];
}

/** Finds credentials by their digests; what is unknown or revoked is absent from the answer. */
export type FindCredentials<Answer = Principal> = (
  digests: readonly string[],
) => Promise<ReadonlyMap<string, Credential<Answer>>>;

interface Entry<Answer> {
  readonly credential: Credential<Answer>;
  /** The answer of every look-up, made once. */
  readonly answer: Promise<Answer>;
  /** When the store was asked, by a clock that never goes back. */
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

/** How old an answer may be: what another process revoked is refused here after this time at the latest. */
const STALE_AFTER_MS = 1_000;
/** From this age on an answer is asked for again, while the old one still serves. */
const REFRESH_AFTER_MS = 500;

const NOBODY: Promise<undefined> = Promise.resolve(undefined);

/**
 * Who is behind a credential, remembered so that a busy one costs a look-up in a map and one query each
 * half second. At most one query runs at a time and takes all that were asked meanwhile, so that a flood
 * of made-up credentials costs the database no more than a steady trickle.
 */
export class CredentialCache<Answer = Principal> {
  private readonly entries = new LRUCache<string, Entry<Answer>>({ max: ENTRIES_MAX });
  private questions = new Map<string, Question<Answer>>();
  private isAsking = false;
  /** Counts what was forgotten: an answer that was on its way meanwhile is not remembered. */
  private forgotten = 0;

  constructor(private readonly find: FindCredentials<Answer>) {}

  /**
   * What is behind a digest, `undefined` for nothing. Rejects with what `find` rejects with, and with
   * `temporarily_unavailable` (503) when too many questions wait.
   */
  lookUp(digest: string): Promise<Answer | undefined> {
    const entry = this.entries.get(digest);
    if (entry === undefined) return this.ask(digest);
    if (hasExpired(entry.credential)) {
      this.entries.delete(digest);
      return NOBODY;
    }
    const ageMs = performance.now() - entry.askedAtMs;
    if (ageMs >= STALE_AFTER_MS) return this.ask(digest);
    if (ageMs >= REFRESH_AFTER_MS) this.refresh(digest, entry);
    return entry.answer;
  }

  /** Whether a digest was good when it was last looked up, however long ago that is. */
  knows(digest: string): boolean {
    const entry = this.entries.peek(digest);
    return entry !== undefined && !hasExpired(entry.credential);
  }

  /** Makes the next look-up ask the store, whatever is known or on its way. */
  forget(digest: string): void {
    this.forgotten++;
    this.entries.delete(digest);
  }

  /** Forgets every credential that `holder` has a part in. Rare, so it may look at them all. */
  forgetAllOf(holder: string): void {
    this.forgotten++;
    for (const [digest, { credential }] of this.entries.entries()) {
      if (credential.heldBy.includes(holder)) this.entries.delete(digest);
    }
  }

  private refresh(digest: string, entry: Entry<Answer>): void {
    if (entry.isBeingRefreshed) return;
    entry.isBeingRefreshed = true;
    // A failure is nobody's yet: the entry serves until it is stale, then its next look-up asks and is told.
    this.ask(digest).catch(() => undefined);
  }

  private ask(digest: string): Promise<Answer | undefined> {
    const asked = this.questions.get(digest);
    if (asked) return asked.answer();
    if (this.questions.size >= QUESTIONS_MAX) return Promise.reject(tooManyQuestions());
    const answer = new Promise<Answer | undefined>((resolve, reject) => {
      this.questions.set(digest, { answer: () => answer, resolve, reject });
    });
    if (!this.isAsking) void this.answerQuestions();
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
  return new ApiError(
    'temporarily_unavailable',
    'Too many credentials are being checked; try again shortly.',
    {
      headers: { 'Retry-After': '1' },
    },
  );
}
