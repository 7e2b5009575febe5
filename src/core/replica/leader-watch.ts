/**
 * Which leader this process follows: the one that its own database names, whatever Redis says. Announcements over Redis
 * only cause a look. One that the database does not agree with is of another installation, such as a restored copy that
 * was started with the same `REDIS_URL`.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { CoalescedWork } from '../../kit/coalesced-work.js';
import { NO_NAMESPACE, type RedisLink } from '../../kit/redis/redis-link.js';
import { monotonicMs } from '../clock/command-clock.js';
import { type Leader, LEASE_MS } from '../leadership/leadership.js';
import {
  decodeAnnouncement,
  encodeAnnouncement,
  isSame,
  LEAD_CHANNEL,
  type LeadAnnouncement,
  relayNamespaceOf,
} from './relay-messages.js';

/** How often a leader announces itself, and how often the others look in the database. */
const TICK_MS = 1_000;
/** Announcements cause no more looks than this allows. */
const LOOK_APART_MS = 50;
/** An installation that is silent for so long is gone. */
const SILENT_MS_MAX = 5_000;

export interface LeaderWatchOptions {
  /** Who leads by this process's database; null where nobody does. */
  readonly find: () => Promise<Leader | null>;
  /** The installation of that database, as `installationOf`. */
  readonly installation: (given: string | null) => Promise<string | null>;
  /** Whether this process leads for sure: only then it says so. */
  readonly isLeading: () => boolean;
  /**
   * How long leaders of which the database knows nothing must be heard to be of another installation. A leader that was
   * cut off from the database believes to lead for half a lease.
   */
  readonly persistsMs?: number;
}

/** What the followed leader has said. */
type Listener = (kind: LeadAnnouncement['kind']) => void;

export class LeaderWatch {
  private readonly logger = new Logger('LeaderWatch');
  private followed: Leader | null = null;
  /** Set while this process leads. */
  private own: Leader | null = null;
  /** The last leader that was heard of and that the database does not name. */
  private stranger: { readonly leader: Leader; readonly sinceMs: number; readonly heardAtMs: number } | null =
    null;
  private isReported = false;
  /** Kept where the database has lost it, as by a promotion. */
  private installation: string | null = null;
  /** Whether it is that of the followed leader. */
  private isSettled = false;
  private readonly looks = new CoalescedWork(() => this.lookNow());
  private lookedAtMs = -Infinity;
  private ticker: NodeJS.Timeout | undefined;
  private readonly listeners: Listener[] = [];
  private readonly releases: (() => unknown)[] = [];
  private readonly persistsMs: number;

  constructor(
    private readonly link: RedisLink,
    private readonly options: LeaderWatchOptions,
  ) {
    this.persistsMs = options.persistsMs ?? LEASE_MS;
  }

  /** Resolves once the leader is followed, if there is one. */
  async start(): Promise<void> {
    this.releases.push(
      this.link.onUp(() => this.tick()),
      await this.link.subscribe(LEAD_CHANNEL, (payload) => void this.hear(payload), NO_NAMESPACE),
    );
    this.ticker = setInterval(() => this.tick(), TICK_MS).unref();
    await this.look();
  }

  async stop(): Promise<void> {
    clearInterval(this.ticker);
    await Promise.all(this.releases.splice(0).map((release) => release()));
    await this.looks.settled();
  }

  /** The leader of another installation that uses this Redis; null where there is none. */
  get otherInstallation(): Leader | null {
    return this.isReported ? (this.stranger?.leader ?? null) : null;
  }

  /** Calls the listener with each announcement of the followed leader. */
  onAnnounced(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** This process leads now. */
  async lead(own: Leader): Promise<void> {
    this.own = own;
    await this.follow(own);
  }

  /** As which leader this process has begun to lead last; null where it has resigned. */
  get leadsAs(): Leader | null {
    return this.own;
  }

  /** This process leads no more, unless it has begun anew. */
  async resign(own: Leader | null): Promise<void> {
    if (own === null) return;
    if (this.own === own) this.own = null;
    await this.announce('resigned', own);
  }

  private tick(): void {
    this.reportStranger();
    void this.settle();
    if (this.own !== null && this.options.isLeading()) void this.announce('leading', this.own);
    else void this.look();
  }

  /** Followers that miss it hear the next one. */
  private async announce(kind: LeadAnnouncement['kind'], own: Leader): Promise<void> {
    const announcement = encodeAnnouncement({ kind, ...own });
    await this.link.publish(LEAD_CHANNEL, announcement, NO_NAMESPACE).catch(() => undefined);
  }

  private async hear(payload: Buffer): Promise<void> {
    let announced: LeadAnnouncement | undefined;
    try {
      announced = decodeAnnouncement(payload);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'an announcement of a leader cannot be read' });
    }
    if (announced === undefined) return;
    const { kind } = announced;
    if (kind === 'leading' && !isSame(announced, this.followed)) {
      if (!(await this.look())) return;
      if (!isSame(announced, this.followed)) this.noteStranger(announced);
    }
    if (isSame(announced, this.followed)) for (const listener of this.listeners) listener(kind);
  }

  /** Answers whether the database could be asked. The last known leader is followed until there is another one. */
  private look(): Promise<boolean> {
    return this.looks.take().then(
      () => true,
      () => false,
    );
  }

  private async lookNow(): Promise<void> {
    await delay(Math.max(0, this.lookedAtMs + LOOK_APART_MS - monotonicMs()));
    this.lookedAtMs = monotonicMs();
    const named = await this.options.find();
    if (named !== null) await this.follow(named);
  }

  private async follow(leader: Leader): Promise<void> {
    if (isSame(leader, this.followed)) return;
    this.followed = leader;
    this.isSettled = false;
    await this.link.moveTo(relayNamespaceOf(leader));
    await this.settle();
  }

  /** The leader names the installation where nobody has; others read it, at the latest a tick later. */
  private async settle(): Promise<void> {
    if (this.isSettled || this.followed === null) return;
    const given = this.own === null ? null : (this.installation ??= randomUUID());
    const installation = await this.options.installation(given).catch(() => null);
    if (installation === null) return;
    this.isSettled = true;
    this.installation = installation;
    this.link.settle(installation);
  }

  private noteStranger({ holder, epoch }: Leader): void {
    const nowMs = monotonicMs();
    const sinceMs = this.stranger?.sinceMs ?? nowMs;
    this.stranger = { leader: { holder, epoch }, sinceMs, heardAtMs: nowMs };
    this.reportStranger();
  }

  private reportStranger(): void {
    const { stranger } = this;
    if (stranger === null) return;
    if (monotonicMs() - stranger.heardAtMs > SILENT_MS_MAX) {
      if (this.isReported) this.logger.log({ msg: 'no other installation uses this REDIS_URL any more' });
      this.stranger = null;
      this.isReported = false;
    } else if (!this.isReported && stranger.heardAtMs - stranger.sinceMs >= this.persistsMs) {
      this.isReported = true;
      this.logger.error({
        other: stranger.leader,
        followed: this.followed,
        msg:
          'another installation uses this REDIS_URL: it leads on a database that is a copy of this one. Nothing of it ' +
          'is taken over; give it a Redis of its own',
      });
    }
  }
}
