/**
 * Time that only this moves: timers, messages and clocks of simulated processes. One event runs at a time, and all that
 * follows from it at once (promises) is done before the next. So a run depends on nothing but what the events do.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { Heap } from '../../../src/domain/engine/heap.js';

/** Where the wall clock starts: in 2027. */
const EPOCH_MS = 1_800_000_000_000;

const owners = new AsyncLocalStorage<Actor>();

/** Who events belong to. One that is frozen gets none until it goes on; one that is dead gets none any more. */
export class Actor {
  /** Runs as it. Made once: a new context for each event would cost more than the events. */
  readonly run = owners.run(this, () => AsyncLocalStorage.snapshot());
  isDead = false;
  isFrozen = false;
  /** What has come while it was frozen. */
  readonly kept: Event[] = [];
}

interface Event {
  readonly owner: Actor;
  readonly act: () => void;
  readonly order: number;
  atMs: number;
  place: number;
}

export interface Scheduled {
  cancel(): void;
}

/** Of no process: the world outside. */
export const NOBODY = new Actor();

const realSetImmediate = setImmediate;

export class VirtualTime {
  private readonly events = new Heap<'place', Event>(
    'place',
    (a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order),
  );
  private count = 0;
  nowMs = 0;

  get wallMs(): number {
    return EPOCH_MS + Math.floor(this.nowMs);
  }

  /** Runs as this actor, and so do the timers that it sets. */
  as<T>(owner: Actor, act: () => T): T {
    return owner.run(act);
  }

  /** Calls back after some time; by default as who asks for it. */
  after(delayMs: number, act: () => void, owner = owners.getStore() ?? NOBODY): Scheduled {
    const event: Event = {
      owner,
      act,
      order: this.count++,
      atMs: this.nowMs + Math.max(0, delayMs),
      place: -1,
    };
    this.events.add(event);
    return { cancel: () => this.events.remove(event) };
  }

  thaw(actor: Actor): void {
    actor.isFrozen = false;
    for (const event of actor.kept.splice(0)) this.after(0, event.act, actor);
  }

  /** Runs events until the condition holds. @throws if it does not by the time */
  async runUntil(isDone: () => boolean, untilMs: number, what: string): Promise<void> {
    await settled();
    while (!isDone()) {
      const event = this.events.peek();
      if (event === undefined || event.atMs > untilMs)
        throw new Error(`${what}: not within ${untilMs} simulated ms`);
      this.events.remove(event);
      this.nowMs = event.atMs;
      const { owner } = event;
      if (owner.isDead) continue;
      if (owner.isFrozen) {
        owner.kept.push(event);
        continue;
      }
      owner.run(event.act);
      await settled();
    }
  }

  async runFor(delayMs: number): Promise<void> {
    let isOver = false;
    this.after(delayMs, () => (isOver = true), NOBODY);
    await this.runUntil(() => isOver, this.nowMs + delayMs, 'time goes on');
  }

  /** Clocks and timers of the whole process are this until `restore`. */
  install(): { restore(): void } {
    const before = {
      setTimeout: globalThis.setTimeout,
      setInterval: globalThis.setInterval,
      setImmediate: globalThis.setImmediate,
      clearTimeout: globalThis.clearTimeout,
      clearInterval: globalThis.clearInterval,
      dateNow: Date.now,
      delay: timersPromises.setTimeout,
    };
    const clear = (timer: Scheduled | undefined): void => timer?.cancel();
    Object.assign(globalThis, {
      setTimeout: (act: () => void, delayMs = 0) => timerOf(this.after(delayMs, act)),
      setInterval: (act: () => void, everyMs: number) => this.every(everyMs, act),
      setImmediate: (act: () => void) => this.after(0, act),
      clearTimeout: clear,
      clearInterval: clear,
    });
    Date.now = () => this.wallMs;
    performance.now = () => this.nowMs;
    timersPromises.setTimeout = this.delay as typeof timersPromises.setTimeout;
    syncBuiltinESMExports();
    return {
      restore: () => {
        const { dateNow, delay, ...timers } = before;
        Object.assign(globalThis, timers);
        Date.now = dateNow;
        // Its own method shadows that of its prototype.
        delete (performance as Partial<typeof performance>).now;
        timersPromises.setTimeout = delay;
        syncBuiltinESMExports();
      },
    };
  }

  private every(everyMs: number, act: () => void): Scheduled {
    let next: Scheduled;
    const turn = (): void => {
      next = this.after(everyMs, turn);
      act();
    };
    next = this.after(everyMs, turn);
    return timerOf({ cancel: () => next.cancel() });
  }

  private readonly delay = <T>(
    delayMs: number,
    value?: T,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const aborted = (): Error => new Error('The delay was aborted');
      if (signal?.aborted === true) return reject(aborted());
      const timer = this.after(delayMs, () => resolve(value));
      signal?.addEventListener('abort', () => {
        timer.cancel();
        reject(aborted());
      });
    });
}

/** A timer as Node's are. */
function timerOf(scheduled: Scheduled): Scheduled {
  return Object.assign(scheduled, { ref: () => scheduled, unref: () => scheduled });
}

/** Resolves when no promise has anything left to do. */
function settled(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}
