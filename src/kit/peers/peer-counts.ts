import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Peers } from './peers.js';

const TOPIC = 'counts';
/** Changes within this time are sent together. */
const GATHERED_FOR_MS = 20;
const COUNTS_PER_MESSAGE_MAX = 2_000;
/** The heartbeat interval. */
const SAY_EVERY_MS = 1_000;
/** A process that is silent for this long counts as gone. */
const SILENT_MS_MAX = 5_000;
/** The retry interval of an unanswered request. */
const ASK_AGAIN_AFTER_MS = 1_000;

/** The space and the key of something counted, and how often it is there. */
type Count = readonly [space: string, key: string, count: number];

interface Changes {
  /** Increases by one per message: a receiver that misses one requests everything. */
  readonly number: number;
  readonly changed: readonly Count[];
}

/** A part of a process's full state, as of one of its messages, in answer to a request. */
interface Everything {
  readonly to: string;
  readonly number: number;
  readonly counts: readonly Count[];
  readonly isLast: boolean;
}

type Message = Changes | Everything | { readonly askedOf: string | null } | { readonly isLeaving: true };

/** The state received from another process. */
interface Peer {
  /** Of its last message; null until its full state has arrived. */
  number: number | null;
  counts: Map<string, Count>;
  arriving: Count[];
  heardAtMs: number;
  askedAtMs: number;
}

/** Called with each change of the other processes' total. */
type Listener = (key: string, delta: number) => void;

/** The counts of one purpose. */
export interface SharedCounts {
  /** Counts here and announces it to the others. */
  add(key: string, delta: number): void;
}

/**
 * Counts shared by all processes: who is present, who types, how many connections an address has. Each process
 * publishes its own counts and a heartbeat; the counts of a process that is gone are dropped. Without Redis each
 * continues with its last knowledge.
 */
@Injectable()
export class PeerCounts implements OnModuleInit, OnModuleDestroy {
  private readonly own = new Map<string, Count>();
  private readonly changed = new Set<string>();
  private readonly listeners = new Map<string, Listener>();
  private readonly peers = new Map<string, Peer>();
  private number = 0;
  private gathering: NodeJS.Timeout | undefined;
  private saying: NodeJS.Timeout | undefined;
  private lookedAtMs = 0;

  constructor(private readonly others: Peers) {}

  async onModuleInit(): Promise<void> {
    if (!this.others.areShared) return;
    await this.others.listen(TOPIC, (message: Message, from) => this.hear(message, from));
    this.others.onReached(() => this.ask(null));
    this.ask(null);
    this.lookedAtMs = performance.now();
    this.saying = setInterval(() => this.keepUp(), SAY_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearTimeout(this.gathering);
    clearInterval(this.saying);
    this.say({ isLeaving: true });
  }

  /** Counts of one purpose; `onOthers` is called with every change of the others' counts. Call it once for each. */
  share(space: string, onOthers: Listener): SharedCounts {
    this.listeners.set(space, onOthers);
    return { add: (key, delta) => this.add(space, key, delta) };
  }

  private add(space: string, key: string, delta: number): void {
    if (!this.others.areShared) return;
    const place = placeOf(space, key);
    const count = (this.own.get(place)?.[2] ?? 0) + delta;
    if (count === 0) this.own.delete(place);
    else this.own.set(place, [space, key, count]);
    this.changed.add(place);
    this.gathering ??= setTimeout(() => this.sayChanges(), GATHERED_FOR_MS).unref();
  }

  private sayChanges(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    const changed = [...this.changed].map((place) => this.own.get(place) ?? goneFrom(place));
    this.changed.clear();
    for (const { part } of partsOf(changed)) this.say({ number: ++this.number, changed: part });
  }

  private keepUp(): void {
    this.sayChanges();
    const nowMs = performance.now();
    // A process that was frozen, or cut off from Redis, has missed messages.
    const wasDeaf = !this.others.areReached || nowMs - this.lookedAtMs > 2 * SAY_EVERY_MS;
    this.lookedAtMs = nowMs;
    for (const [id, peer] of this.peers) {
      if (wasDeaf) peer.heardAtMs = nowMs;
      else if (nowMs - peer.heardAtMs > SILENT_MS_MAX) this.forget(id);
    }
  }

  private hear(message: Message, from: string): void {
    if ('isLeaving' in message) {
      this.forget(from);
      return;
    }
    if ('askedOf' in message) {
      if (message.askedOf === null || message.askedOf === this.others.id) this.sayEverything(from);
      return;
    }
    const peer = this.peerOf(from);
    peer.heardAtMs = performance.now();
    if ('to' in message) {
      if (message.to === this.others.id) this.takeEverything(peer, message);
    } else this.takeChanges(from, peer, message);
  }

  private sayEverything(to: string): void {
    // First what it would else be told twice.
    this.sayChanges();
    for (const { part, isLast } of partsOf([...this.own.values()])) {
      this.say({ to, number: this.number, counts: part, isLast });
    }
  }

  private takeEverything(peer: Peer, { number, counts, isLast }: Everything): void {
    peer.arriving.push(...counts);
    if (!isLast) return;
    const before = peer.counts;
    const after = new Map(peer.arriving.map((count) => [placeOf(count[0], count[1]), count]));
    peer.arriving = [];
    peer.counts = after;
    peer.number = number;
    for (const [place, [space, key, count]] of after) {
      this.notify(space, key, count - (before.get(place)?.[2] ?? 0));
      before.delete(place);
    }
    for (const [space, key, count] of before.values()) this.notify(space, key, -count);
  }

  private takeChanges(from: string, peer: Peer, { number, changed }: Changes): void {
    if (peer.number !== number - 1) {
      peer.number = null;
      this.askPeer(from, peer);
      return;
    }
    peer.number = number;
    for (const change of changed) {
      const [space, key, count] = change;
      const place = placeOf(space, key);
      const before = peer.counts.get(place)?.[2] ?? 0;
      if (count === 0) peer.counts.delete(place);
      else peer.counts.set(place, change);
      this.notify(space, key, count - before);
    }
  }

  private askPeer(id: string, peer: Peer): void {
    const nowMs = performance.now();
    if (nowMs - peer.askedAtMs < ASK_AGAIN_AFTER_MS) return;
    peer.askedAtMs = nowMs;
    peer.arriving = [];
    this.ask(id);
  }

  private ask(askedOf: string | null): void {
    this.say({ askedOf });
  }

  private forget(id: string): void {
    const peer = this.peers.get(id);
    this.peers.delete(id);
    for (const [space, key, count] of peer?.counts.values() ?? []) this.notify(space, key, -count);
  }

  private notify(space: string, key: string, delta: number): void {
    if (delta !== 0) this.listeners.get(space)?.(key, delta);
  }

  private peerOf(id: string): Peer {
    let peer = this.peers.get(id);
    if (peer === undefined) {
      peer = { number: null, counts: new Map(), arriving: [], heardAtMs: 0, askedAtMs: -Infinity };
      this.peers.set(id, peer);
    }
    return peer;
  }

  private say(message: Message): void {
    this.others.say(TOPIC, message);
  }
}

function placeOf(space: string, key: string): string {
  return `${space}\n${key}`;
}

function goneFrom(place: string): Count {
  const end = place.indexOf('\n');
  return [place.slice(0, end), place.slice(end + 1), 0];
}

/** At least one part, even if empty, since it also serves as a heartbeat. */
function* partsOf(counts: readonly Count[]): Iterable<{ part: readonly Count[]; isLast: boolean }> {
  for (let start = 0; start === 0 || start < counts.length; start += COUNTS_PER_MESSAGE_MAX) {
    const end = start + COUNTS_PER_MESSAGE_MAX;
    yield { part: counts.slice(start, end), isLast: end >= counts.length };
  }
}
