/**
 * The way of a replica's commands to the process that leads. They travel over Redis, which may lose them: so each is
 * sent again until it is answered, and has a key, so that it is never run twice. The link is in the namespace of the
 * leader that this process's own database names: no other one gets the commands, and no answer of another one arrives.
 */
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Refusal } from '../../domain/engine/commands.js';
import type { PreviewableCommand, PreviewOf } from '../../domain/engine/preview.js';
import type { QuotePrice, QuoteRequest } from '../../domain/engine/quotes.js';
import type { ServiceFailure } from '../../kit/coded-error.js';
import { presentTrace } from '../../kit/tracing/tracing.js';
import { type Owner, presentOwner } from '../../kit/turns/owner.js';
import { type RedisLink, RedisUnavailable } from '../../kit/redis/redis-link.js';
import { monotonicMs } from '../clock/command-clock.js';
import { CommandCounts } from '../requests/command-counts.js';
import type { CoreAnswer, CoreRequest } from '../requests/requests.js';
import { outcomeUnknown, unavailable } from '../requests/failures.js';
import type { Work, WorkAnswer } from '../requests/work.js';
import {
  answersChannel,
  COMMANDS_CHANNEL,
  decodeAnswersMessage,
  encodeCommandsMessage,
  encodeWork,
  isOfAnother,
  type RelayedAnswer,
} from './relay-messages.js';

const TICK_MS = 100;
/** Well below what Redis and the receiver take at once. */
const MESSAGE_LENGTH_MAX = 512 * 1024;
/** The owner of the keys that are made here. */
const RELAY_OWNER = 'relay';
/** Longer than anybody repeats a command, and than it takes a leader to be followed by the next. */
const KEYS_KEPT_MS = 10 * 60_000;

export interface RelayOptions {
  /** From when it was asked until it is given up. */
  readonly deadlineMs?: number;
  /** The same where Redis was away meanwhile, be it back by now or not. */
  readonly cutOffDeadlineMs?: number;
  readonly resendMs?: number;
  /** Commands that may wait, in whatever number of requests; an owner has a share of them. */
  readonly waitingMax?: number;
}

/** An answer, with the committed sequence at that time: later reads for the same caller must not be older. */
export interface Relayed<T> {
  readonly answer: T;
  readonly sequence: number;
}

interface Waiting {
  readonly id: number;
  readonly owner: Owner;
  readonly kind: Work['kind'];
  readonly encoded: string;
  readonly commands: number;
  /** Its key was made here, so that the caller knows nothing of repeats. */
  readonly hasMadeKey: boolean;
  readonly askedAtMs: number;
  /** How often it may have reached a leader. */
  sends: number;
  /** Whether Redis was away since it was asked: the message, or its answer, may be lost. */
  isCutOff: boolean;
  triedAtMs: number;
  readonly resolve: (relayed: Relayed<WorkAnswer>) => void;
  readonly reject: (error: ServiceFailure) => void;
}

export class CommandRelay {
  private readonly logger = new Logger('CommandRelay');
  /** In the order in which they were asked. */
  private readonly waiting = new Map<number, Waiting>();
  /** Those of them that were asked in this turn of the event loop. */
  private fresh: Waiting[] = [];
  private readonly commands: CommandCounts;
  private lastId = 0;
  /** No leader is known: new work waits for the next attempt, so that the order is kept. */
  private isHeld = false;
  /** Counts the attempts to send everything: errors of earlier attempts are ignored. */
  private attempt = 0;
  private isStopped = false;
  private ticker: NodeJS.Timeout | undefined;
  private readonly releases: (() => unknown)[] = [];
  private readonly replicaId = randomUUID();
  private readonly options: Required<Omit<RelayOptions, 'waitingMax'>>;

  constructor(
    private readonly link: RedisLink,
    {
      deadlineMs = 5_000,
      cutOffDeadlineMs = 1_500,
      resendMs = 1_000,
      waitingMax = 10_000,
    }: RelayOptions = {},
  ) {
    this.options = { deadlineMs, cutOffDeadlineMs, resendMs };
    this.commands = new CommandCounts(waitingMax);
  }

  /** Listens for answers. To be awaited before the first command. */
  async start(): Promise<void> {
    this.releases.push(
      this.link.onUp(() => this.sendAll()),
      this.link.onDown(() => {
        for (const waiting of this.waiting.values()) waiting.isCutOff = true;
      }),
      await this.link.subscribe(answersChannel(this.replicaId), (payload) => this.read(payload)),
    );
  }

  /**
   * Runs the commands at the leader, as `CoreService.submit` does. If an answer is lost they are resent, and still run
   * once. Work that this process's receiver got is refused.
   *
   * @throws ServiceFailure `temporarily_unavailable` if they reached nobody, `outcome_unknown` if they may have, and what
   * the leader throws
   */
  submit(request: CoreRequest): Promise<Relayed<CoreAnswer>> {
    if (isOfAnother(request)) return Promise.reject(notSentOn());
    const hasMadeKey = request.idempotency === undefined;
    const key = `${this.replicaId}-${this.lastId + 1}`;
    const idempotency = request.idempotency ?? {
      owner: RELAY_OWNER,
      key,
      fingerprint: '',
      keptMs: KEYS_KEPT_MS,
    };
    const work: Work = { kind: 'request', request: { ...request, idempotency } };
    return this.ask(work, request.commands.length, hasMadeKey) as Promise<Relayed<CoreAnswer>>;
  }

  /** @throws ServiceFailure `temporarily_unavailable` where the leader does not answer in time */
  preview<C extends PreviewableCommand>(command: C): Promise<Relayed<PreviewOf<C> | Refusal>> {
    if (isOfAnother(command)) return Promise.reject(notSentOn());
    return this.ask({ kind: 'preview', command }, 1) as Promise<Relayed<PreviewOf<C> | Refusal>>;
  }

  /** @throws ServiceFailure `temporarily_unavailable` where the leader does not answer in time */
  priceQuote(request: QuoteRequest): Promise<Relayed<QuotePrice | Refusal>> {
    if (isOfAnother(request)) return Promise.reject(notSentOn());
    return this.ask({ kind: 'quote', request }, 1) as Promise<Relayed<QuotePrice | Refusal>>;
  }

  /** The leader has said that it leads, or that it stops. */
  onAnnounced(kind: 'leading' | 'resigned'): void {
    if (kind === 'resigned') this.isHeld = true;
    else if (this.isHeld) this.sendAll();
  }

  /** Gives up waiting work, and unsubscribes. */
  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    this.fresh = [];
    clearInterval(this.ticker);
    for (const waiting of [...this.waiting.values()]) this.giveUp(waiting);
    await Promise.all(this.releases.splice(0).map((release) => release()));
  }

  private ask(work: Work, commands: number, hasMadeKey = false): Promise<Relayed<WorkAnswer>> {
    if (this.isStopped) return Promise.reject(unavailable('The service is stopping. Try again in a moment.'));
    const owner = presentOwner();
    const refusal = this.commands.refusalOf(owner, commands);
    if (refusal !== undefined) return Promise.reject(refusal);
    const id = ++this.lastId;
    const encoded = encodeWork({ ...work, owner, trace: presentTrace() });
    const askedAtMs = monotonicMs();
    return new Promise((resolve, reject) => {
      const asked = { id, owner, kind: work.kind, encoded, commands, hasMadeKey, askedAtMs, resolve, reject };
      const waiting: Waiting = { ...asked, sends: 0, isCutOff: !this.link.isUp, triedAtMs: askedAtMs };
      this.waiting.set(id, waiting);
      this.commands.change(owner, commands);
      this.ticker ??= setInterval(() => this.tick(), TICK_MS);
      if (this.isHeld) return;
      if (this.fresh.length === 0) setImmediate(() => this.sendFresh());
      this.fresh.push(waiting);
    });
  }

  private sendFresh(): void {
    const { fresh } = this;
    this.fresh = [];
    if (!this.isHeld) this.send(fresh);
  }

  private sendAll(): void {
    this.fresh = [];
    this.isHeld = false;
    this.attempt++;
    this.send([...this.waiting.values()]);
  }

  private send(works: readonly Waiting[]): void {
    let message: Waiting[] = [];
    let length = 0;
    for (const waiting of works) {
      length += waiting.encoded.length;
      if (message.length > 0 && length > MESSAGE_LENGTH_MAX) {
        void this.sendMessage(message);
        message = [];
        length = waiting.encoded.length;
      }
      message.push(waiting);
    }
    if (message.length > 0) void this.sendMessage(message);
  }

  private async sendMessage(works: readonly Waiting[]): Promise<void> {
    const { attempt } = this;
    const nowMs = monotonicMs();
    for (const waiting of works) {
      waiting.sends++;
      waiting.triedAtMs = nowMs;
    }
    const [oldest] = this.waiting.keys();
    const header = { from: this.replicaId, oldest: oldest ?? this.lastId };
    const isSent = await this.link.publish(COMMANDS_CHANNEL, encodeCommandsMessage(header, works)).then(
      (receivers) => receivers > 0,
      (error: unknown) => !(error instanceof RedisUnavailable),
    );
    if (isSent) return;
    if (attempt === this.attempt) this.isHeld = true;
    for (const waiting of works) waiting.sends--;
  }

  private read(payload: Buffer): void {
    try {
      for (const answer of decodeAnswersMessage(payload)) this.settle(answer);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'a message of answers cannot be read' });
    }
  }

  private settle({ id, sequence, answer, error }: RelayedAnswer): void {
    const waiting = this.waiting.get(id);
    if (waiting === undefined) return;
    this.remove(waiting);
    if (error !== undefined) waiting.reject(error);
    else waiting.resolve({ answer: asTheFirst(answer!, waiting), sequence });
  }

  /** Resends work after one timeout, and gives it up after a longer one. */
  private tick(): void {
    const nowMs = monotonicMs();
    const { deadlineMs, cutOffDeadlineMs, resendMs } = this.options;
    const due: Waiting[] = [];
    for (const waiting of [...this.waiting.values()]) {
      const ageMs = nowMs - waiting.askedAtMs;
      if (ageMs >= (waiting.isCutOff ? cutOffDeadlineMs : deadlineMs)) this.giveUp(waiting);
      else if (nowMs - waiting.triedAtMs >= resendMs) due.push(waiting);
    }
    if (due.length === 0) return;
    // Held work follows the work that is resent now, in order.
    if (this.isHeld) this.sendAll();
    else this.send(due);
  }

  private giveUp(waiting: Waiting): void {
    this.remove(waiting);
    if (waiting.sends === 0 || waiting.kind !== 'request') {
      waiting.reject(unavailable('The process that leads cannot be reached. Try again in a moment.'));
      return;
    }
    waiting.reject(outcomeUnknown());
  }

  private remove(waiting: Waiting): void {
    this.waiting.delete(waiting.id);
    this.commands.change(waiting.owner, -waiting.commands);
    if (this.waiting.size > 0) return;
    clearInterval(this.ticker);
    this.ticker = undefined;
  }
}

/** The receiver, which has asked, leaves it unanswered. */
function notSentOn(): ServiceFailure {
  return unavailable('This process leads no more. Try again in a moment.');
}

/**
 * The caller sent this once: a repeat that is one only by the key made here is not a repeat to the caller. A repeat by
 * an order's own id remains one.
 */
function asTheFirst(answer: WorkAnswer, { hasMadeKey }: Waiting): WorkAnswer {
  if (!hasMadeKey) return answer;
  const { outcomes, replayed, isOfKey } = answer as CoreAnswer;
  return isOfKey === true ? { outcomes, replayed: replayed.map(() => false) } : answer;
}
