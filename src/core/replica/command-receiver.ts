/**
 * The leader's end of the relay: runs commands of replicas once, and answers. It remembers the answers for each replica
 * as long as that may resend, so that a repeat gets the first answer, even a refusal, which no key stores.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Refusal } from '../../domain/engine/commands.js';
import type { PreviewableCommand, PreviewOf } from '../../domain/engine/preview.js';
import type { QuotePrice, QuoteRequest } from '../../domain/engine/quotes.js';
import { ServiceFailure } from '../../kit/coded-error.js';
import { withinTrace } from '../../kit/tracing/tracing.js';
import { handleFor, SERVICE } from '../../kit/turns/owner.js';
import type { RedisLink } from '../../kit/redis/redis-link.js';
import { monotonicMs } from '../clock/command-clock.js';
import type { CoreAnswer, CoreRequest } from '../requests/requests.js';
import { unavailable } from '../requests/failures.js';
import type { Leader } from '../leadership/leadership.js';
import type { Work, WorkAnswer } from '../requests/work.js';
import {
  answersChannel,
  COMMANDS_CHANNEL,
  type CommandsMessage,
  decodeCommandsMessage,
  encodeAnswer,
  encodeAnswersMessage,
  encodeError,
  relayNamespaceOf,
} from './relay-messages.js';

/** A replica that is silent for so long is gone, and so are its messages. */
const REPLICA_KEPT_MS = 10 * 60_000;
/** How long a stopping leader waits for running commands. */
const STOP_MS_MAX = 2_000;
/** Well below what Redis and a replica take at once. */
const MESSAGE_LENGTH_MAX = 512 * 1024;

/** The core of a process that may lead. */
export interface ReceivingCore {
  submit(request: CoreRequest): Promise<CoreAnswer>;
  preview(command: PreviewableCommand): Promise<PreviewOf<PreviewableCommand> | Refusal>;
  priceQuote(request: QuoteRequest): Promise<QuotePrice | Refusal>;
  /** The last committed one. */
  readonly sequence: number;
  readonly leads: boolean;
}

interface Replica {
  readonly id: string;
  /** By the work's number: its answer, or null while it is being run. */
  readonly works: Map<number, string | null>;
  /** All lower numbers are answered or given up. */
  oldest: number;
  heardAtMs: number;
}

/** One period of leading. Results of an earlier period are not sent. */
interface Session {
  /** That of the leader that this process is then. */
  readonly namespace: string;
  readonly replicas: Map<string, Replica>;
  readonly running: Set<Promise<void>>;
  /** Encoded answers, by replica, that go out at the end of this turn of the event loop. */
  readonly outgoing: Map<string, string[]>;
  readonly releases: (() => unknown)[];
  isStopping: boolean;
}

export class CommandReceiver {
  private readonly logger = new Logger('CommandReceiver');
  private session: Session | null = null;

  constructor(
    private readonly link: RedisLink,
    private readonly core: ReceivingCore,
  ) {}

  /** To be called when this process leads: receives the commands of those who follow it. */
  async start(own: Leader): Promise<void> {
    const { session: earlier } = this;
    const session: Session = {
      namespace: relayNamespaceOf(own),
      replicas: new Map(),
      running: new Set(),
      outgoing: new Map(),
      releases: [],
      isStopping: false,
    };
    this.session = session;
    if (earlier !== null) await leave(earlier);
    const { namespace } = session;
    session.releases.push(
      await this.link.subscribe(COMMANDS_CHANNEL, (payload) => this.receive(session, payload), namespace),
    );
  }

  /**
   * Call it before this process stops leading, or as soon as it has lost the lead: it stops receiving, and answers
   * running commands if it still leads. Replicas resend unanswered commands to the next leader.
   */
  async stop(): Promise<void> {
    const { session } = this;
    if (session === null) return;
    const left = leave(session);
    left.catch(() => undefined);
    if (this.core.leads) {
      const done = Promise.all(session.running);
      await Promise.race([done, delay(STOP_MS_MAX, undefined, { ref: false })]);
    }
    await this.sendAnswers(session);
    if (this.session === session) this.session = null;
    await left;
  }

  private receive(session: Session, payload: Buffer): void {
    // The replica resends it to the next leader.
    if (session.isStopping) return;
    let message: CommandsMessage;
    try {
      message = decodeCommandsMessage(payload);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'a message of commands cannot be read; it is dropped' });
      return;
    }
    const { from, ids, works } = message;
    if (works === null) {
      const refusal = unavailable('This replica and the leader differ in version. Try again in a moment.');
      for (const id of ids) this.reply(session, from, encodeError(id, this.core.sequence, refusal));
    } else this.runAll(session, message, works);
  }

  /** All of them are queued in this very turn, so that they are run in their order. */
  private runAll(session: Session, { from, oldest, ids }: CommandsMessage, works: readonly Work[]): void {
    const replica = this.replicaOf(session, from);
    replica.oldest = Math.max(replica.oldest, oldest);
    for (const id of replica.works.keys()) {
      if (id >= replica.oldest) break;
      replica.works.delete(id);
    }
    ids.forEach((id, index) => {
      if (id < replica.oldest) return;
      const known = replica.works.get(id);
      if (known === undefined) this.begin(session, replica, id, works[index]!);
      else if (known !== null) this.reply(session, replica.id, known);
    });
  }

  private replicaOf({ replicas }: Session, id: string): Replica {
    const nowMs = monotonicMs();
    let replica = replicas.get(id);
    if (replica === undefined) {
      for (const other of replicas.values()) {
        if (nowMs - other.heardAtMs > REPLICA_KEPT_MS) replicas.delete(other.id);
      }
      replica = { id, works: new Map(), oldest: 0, heardAtMs: nowMs };
      replicas.set(id, replica);
    }
    replica.heardAtMs = nowMs;
    return replica;
  }

  private begin(session: Session, replica: Replica, id: number, work: Work): void {
    replica.works.set(id, null);
    // A process of an earlier version names no owner.
    const run = (): Promise<WorkAnswer> => withinTrace(work.trace, () => this.run(work));
    const running = handleFor({ owner: work.owner ?? SERVICE }, run).then(
      (answer) => this.finish(session, replica, id, encodeAnswer(id, this.core.sequence, answer)),
      (error: unknown) => this.fail(session, replica, id, error),
    );
    session.running.add(running);
    void running.finally(() => session.running.delete(running));
  }

  private run(work: Work): Promise<WorkAnswer> {
    switch (work.kind) {
      case 'request':
        return this.core.submit(work.request);
      case 'preview':
        return this.core.preview(work.command);
      case 'quote':
        return this.core.priceQuote(work.request);
    }
  }

  private fail(session: Session, replica: Replica, id: number, error: unknown): void {
    const isLeaving = session.isStopping || !this.core.leads;
    if (isLeaving && isForNextLeader(error)) {
      replica.works.delete(id);
      return;
    }
    let answer: ServiceFailure;
    if (error instanceof ServiceFailure) answer = error;
    else {
      this.logger.error({ err: error, msg: 'a forwarded command failed' });
      answer = new ServiceFailure('internal_error', 'The request could not be carried out.');
    }
    this.finish(session, replica, id, encodeError(id, this.core.sequence, answer));
  }

  private finish(session: Session, replica: Replica, id: number, encoded: string): void {
    if (id >= replica.oldest) replica.works.set(id, encoded);
    this.reply(session, replica.id, encoded);
  }

  /** Answers of one turn of the event loop travel together. */
  private reply(session: Session, replicaId: string, encoded: string): void {
    if (session.outgoing.size === 0) setImmediate(() => void this.sendAnswers(session));
    const answers = session.outgoing.get(replicaId);
    if (answers === undefined) session.outgoing.set(replicaId, [encoded]);
    else answers.push(encoded);
  }

  private async sendAnswers(session: Session): Promise<void> {
    const outgoing = [...session.outgoing];
    session.outgoing.clear();
    if (session !== this.session) return;
    await Promise.all(outgoing.map(([replicaId, answers]) => this.sendTo(session, replicaId, answers)));
  }

  private async sendTo(session: Session, replicaId: string, answers: readonly string[]): Promise<void> {
    let message: string[] = [];
    let length = 0;
    const sent: Promise<void>[] = [];
    for (const answer of answers) {
      length += answer.length;
      if (message.length > 0 && length > MESSAGE_LENGTH_MAX) {
        sent.push(this.sendMessage(session, replicaId, message));
        message = [];
        length = answer.length;
      }
      message.push(answer);
    }
    sent.push(this.sendMessage(session, replicaId, message));
    await Promise.all(sent);
  }

  /** If an answer is lost, the replica asks again. */
  private async sendMessage(session: Session, replicaId: string, answers: readonly string[]): Promise<void> {
    const message = encodeAnswersMessage(answers);
    await this.link.publish(answersChannel(replicaId), message, session.namespace).catch(() => undefined);
  }
}

async function leave(session: Session): Promise<void> {
  session.isStopping = true;
  await Promise.all(session.releases.splice(0).map((release) => release()));
}

/** Either nothing was done, or a repeat finds the result by its key. */
function isForNextLeader(error: unknown): boolean {
  return (
    error instanceof ServiceFailure &&
    (error.code === 'temporarily_unavailable' || error.code === 'outcome_unknown')
  );
}
