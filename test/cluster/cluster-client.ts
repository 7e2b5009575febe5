import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, type Answer, type CallOptions } from '../../scripts/support/api-client.js';
import type { LoadTarget } from '../recovery/order-load.js';

const PROBE_EVERY_MS = 100;
const PROBE_TIMEOUT_MS = 1_000;
/** A request to a process that hangs is abandoned after this, and repeated by its key at another process. */
const ANSWER_MS_MAX = 3_000;
/** How long a request waits for a ready process. */
const TARGET_MS_MAX = 2_000;
const RETRY_MS = 50;

/** The present address of one process of the cluster; undefined while it is down. */
export interface Backend {
  readonly url: string | undefined;
}

/** The outcomes of all requests, as their client saw them. */
export interface Tally {
  /** Answered with success. */
  answered: number;
  /** Answered 4xx. */
  refused: number;
  /** Answered 503, which asks for a retry. */
  unavailable: number;
  /** Answered with any other 5xx. */
  failed: number;
  /** The connection ended before the answer: the outcome is unknown. */
  broken: number;
  /** No answer in time: the outcome is unknown, too. */
  timedOut: number;
  /** Connection refused, so the request was never sent; a balancer goes to the next process. */
  turnedAway: number;
  /** No process was ready in time. */
  withoutTarget: number;
}

const EMPTY: Tally = {
  answered: 0,
  refused: 0,
  unavailable: 0,
  failed: 0,
  broken: 0,
  timedOut: 0,
  turnedAway: 0,
  withoutTarget: 0,
};

/** An answer that may have taken several requests; all but the last were unanswered or answered 503. */
export interface PatientAnswer<T> extends Answer<T> {
  readonly attempts: number;
}

interface Target {
  readonly url: string;
  readonly api: ApiClient;
  isIn: boolean;
}

/**
 * Works like a load balancer in front of the processes: sends to each in turn, skips those that are not ready, close
 * their connections or do not listen, and tries another one if a request could not be sent.
 */
export class ClusterClient implements LoadTarget {
  readonly tally: Tally = { ...EMPTY };
  private readonly targets: (Target | undefined)[];
  private next = 0;
  private isOver = false;
  private readonly probing: Promise<void>[];

  /** `backends` may come and go, and change their addresses; one that does not answer in time is abandoned. */
  constructor(
    private readonly backends: readonly Backend[],
    private readonly answerMsMax = ANSWER_MS_MAX,
  ) {
    this.targets = backends.map(() => undefined);
    this.probing = backends.map((_, index) => this.probe(index));
  }

  /** One attempt, at the next process. Rejects without an answer. */
  async call<T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
    for (;;) {
      const target = await this.nextTarget();
      try {
        const answer = await target.api.call<T>(method, path, {
          timeoutMs: this.answerMsMax,
          ...options,
        });
        this.note(target, answer);
        return answer;
      } catch (error) {
        target.isIn = false;
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ECONNREFUSED') {
          if (code === 'ETIMEDOUT') this.tally.timedOut++;
          else this.tally.broken++;
          throw error;
        }
        this.tally.turnedAway++;
      }
    }
  }

  /**
   * Retries until there is an answer other than 503, as the contract allows for requests that may be repeated: those
   * with a key. Rejects if there is none in time.
   */
  async callUntilAnswered<T>(
    method: string,
    path: string,
    options: CallOptions = {},
    timeoutMs = 30_000,
  ): Promise<PatientAnswer<T>> {
    const deadlineMs = performance.now() + timeoutMs;
    for (let attempts = 1; ; attempts++) {
      const answer = await this.call<T>(method, path, options).catch(() => undefined);
      if (answer !== undefined && answer.status !== 503) return { ...answer, attempts };
      if (performance.now() > deadlineMs)
        throw new Error(`${method} ${path} was not answered in ${timeoutMs} ms`);
      // The next process may be able to serve at once.
      await delay(RETRY_MS);
    }
  }

  async authorize(credentials: string): Promise<string> {
    const [clientId = '', ...secret] = credentials.split(':');
    const { status, body } = await this.callUntilAnswered<{ access_token: string }>('POST', '/auth/token', {
      form: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret.join(':') },
    });
    if (status !== 200) throw new Error(`POST /auth/token answered ${status}: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  close(): void {
    this.isOver = true;
    for (const target of this.targets) target?.api.close();
  }

  /** Resolves when it has stopped polling readiness. */
  async closed(): Promise<void> {
    this.close();
    await Promise.all(this.probing);
  }

  private note(target: Target, { status, headers }: Answer<unknown>): void {
    if (headers.connection === 'close') target.isIn = false;
    if (status < 400) this.tally.answered++;
    else if (status < 500) this.tally.refused++;
    else if (status === 503) this.tally.unavailable++;
    else this.tally.failed++;
  }

  private async nextTarget(): Promise<Target> {
    const deadlineMs = performance.now() + TARGET_MS_MAX;
    for (;;) {
      for (const _ of this.targets) {
        const target = this.targets[this.next++ % this.targets.length];
        if (target?.isIn === true) return target;
      }
      if (this.isOver || performance.now() > deadlineMs) {
        this.tally.withoutTarget++;
        throw new Error('no process is ready');
      }
      await delay(5);
    }
  }

  private async probe(index: number): Promise<void> {
    while (!this.isOver) {
      const target = this.targetAt(index);
      if (target !== undefined) {
        const answer = await target.api
          .call('GET', '/health/ready', { timeoutMs: PROBE_TIMEOUT_MS })
          .catch(() => undefined);
        target.isIn = answer?.status === 200 && answer.headers.connection !== 'close';
      }
      await delay(PROBE_EVERY_MS, undefined, { ref: false });
    }
  }

  private targetAt(index: number): Target | undefined {
    const { url } = this.backends[index]!;
    const known = this.targets[index];
    if (known?.url === url) return known;
    known?.api.close();
    this.targets[index] = url === undefined ? undefined : { url, api: new ApiClient(url), isIn: false };
    return this.targets[index];
  }
}
