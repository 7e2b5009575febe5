import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeBody, encodeMessage, type OutgoingHeader } from '../codec/encode.js';
import type { Field } from '../codec/fields.js';
import { MSG_TYPE, TAG } from '../codec/tags.js';
import type { SessionNames } from '../session/session.js';
import type { OpenedSession, SessionProgress, SessionStore } from '../store/session-store.js';

/** What may wait to be written when more is sent. */
const WAITING_MAX = 10_000;
const WAITING_CHARACTERS_MAX = 8_388_608;
const BATCH_MAX = 500;
/** Bytes that a client may leave unread, and for how long it may leave more than that. */
const UNREAD_BYTES_MAX = 262_144;
const UNREAD_MS_MAX = 10_000;
const RESENT_PAGE = 500;

/** How far reports of the account have come. */
export type ReportProgress = Pick<SessionProgress, 'accountSequence' | 'lastOrderId'>;

interface WaitingMessage {
  readonly msgType: string;
  readonly body: string;
  readonly isKept: boolean;
}

type Waiting =
  /** Messages that become durable together; with reports, what has been reported then. */
  | {
      readonly kind: 'send';
      readonly messages: readonly WaitingMessage[];
      readonly progress?: ReportProgress;
    }
  | { readonly kind: 'resend'; readonly from: number; readonly to: number; readonly done: () => void }
  | { readonly kind: 'turn'; readonly done: () => void };

export interface OutboxEvents {
  /** The number of the next message of the client, after all that were worked off. */
  nextIncoming(): number;
  onSent(nowMs: number): void;
  /** Nothing more can be sent. */
  onFailure(error: unknown): void;
}

/** The client does not read what it is sent. */
export class SlowClient extends Error {}

/**
 * What a session sends, in one line: each message gets its number, and is durable together with the number before it is
 * written. Messages that wait while others are being stored are stored together.
 */
export class Outbox {
  private waiting: Waiting[] = [];
  private waitingCharacters = 0;
  private hasFailed = false;
  private running: Promise<void> | undefined;
  private readonly closing = new AbortController();
  private progress: SessionProgress;

  constructor(
    private readonly socket: Socket,
    private readonly store: SessionStore,
    private readonly opened: OpenedSession,
    private readonly names: SessionNames,
    private readonly events: OutboxEvents,
  ) {
    this.progress = opened.progress;
  }

  // A method, since it changes while something is awaited.
  private isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  send(msgType: string, fields: readonly Field[], isKept: boolean): void {
    this.add({ kind: 'send', messages: [{ msgType, body: encodeBody(fields), isKept }] });
  }

  /** Sends what is kept, all of it or nothing, and remembers what it reports. */
  report(msgType: string, reports: readonly (readonly Field[])[], progress: ReportProgress): void {
    const messages = reports.map((fields) => ({ msgType, body: encodeBody(fields), isKept: true }));
    this.add({ kind: 'send', messages, progress });
  }

  /** Resolves when the messages from one number to another are written again. */
  resend(from: number, to: number): Promise<void> {
    return new Promise((done) => this.add({ kind: 'resend', from, to, done }));
  }

  /** Resolves when everything that was sent before is written. */
  written(): Promise<void> {
    return new Promise((done) => this.add({ kind: 'turn', done }));
  }

  /** Nothing is sent any more. Resolves when the numbers are stored. */
  async close(): Promise<void> {
    if (this.isClosed()) return;
    this.closing.abort();
    for (const each of this.waiting.splice(0)) if ('done' in each) each.done();
    await this.running;
    if (this.events.nextIncoming() === this.progress.nextIncoming) return;
    // Without it, the next log-on asks again for messages that were worked off, which does no harm.
    await this.save([], {}).catch(() => undefined);
  }

  private add(entry: Waiting): void {
    if (this.isClosed() || this.hasFailed) {
      if ('done' in entry) entry.done();
      return;
    }
    // However long one entry is, it is taken: the reports of a long break come as one.
    if (this.waiting.length > WAITING_MAX || this.waitingCharacters > WAITING_CHARACTERS_MAX) {
      this.fail(new SlowClient());
      if ('done' in entry) entry.done();
      return;
    }
    this.waiting.push(entry);
    this.waitingCharacters += charactersOf(entry);
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    try {
      for (;;) {
        // By then a message of the client that is answered counts as worked off.
        await nextTurn();
        const [first] = this.waiting;
        if (first === undefined || this.isClosed() || this.hasFailed) return;
        if (first.kind === 'send') {
          await this.writeBatch();
          continue;
        }
        this.waiting.shift();
        if (first.kind === 'resend') await this.writeAgain(first.from, first.to);
        first.done();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.events.onFailure(error);
  }

  private async writeBatch(): Promise<void> {
    const messages: WaitingMessage[] = [];
    let progress: ReportProgress | undefined;
    while (messages.length < BATCH_MAX) {
      const [first] = this.waiting;
      if (first?.kind !== 'send') break;
      this.waiting.shift();
      this.waitingCharacters -= charactersOf(first);
      messages.push(...first.messages);
      progress = first.progress ?? progress;
    }
    const sentAtMs = Date.now();
    const numbered = messages.map((message, place) => ({
      ...message,
      sentAtMs,
      sequence: this.progress.nextOutgoing + place,
    }));
    await this.save(
      numbered.filter(({ isKept }) => isKept),
      { ...progress, nextOutgoing: this.progress.nextOutgoing + messages.length },
    );
    await this.write(
      numbered.map(({ msgType, body, sequence }) =>
        this.encode({ msgType, sequence, sendingTimeMs: sentAtMs }, body),
      ),
    );
  }

  private async save(
    messages: Parameters<SessionStore['save']>[2],
    changes: Partial<SessionProgress>,
  ): Promise<void> {
    const progress = { ...this.progress, ...changes, nextIncoming: this.events.nextIncoming() };
    await this.store.save(this.opened, progress, messages);
    this.progress = progress;
  }

  /** Kept messages once more, and gap fills for all others. */
  private async writeAgain(from: number, to: number): Promise<void> {
    const last = Math.min(to, this.progress.nextOutgoing - 1);
    let next = from;
    for (;;) {
      const page = await this.store.messages(this.opened.sessionId, next, last, RESENT_PAGE);
      const again: Buffer[] = [];
      for (const { sequence, msgType, body, sentAtMs } of page) {
        if (sequence > next) again.push(this.gapFill(next, sequence));
        const times = { sendingTimeMs: Date.now(), origSendingTimeMs: sentAtMs };
        again.push(this.encode({ msgType, sequence, ...times }, body));
        next = sequence + 1;
      }
      const isLast = page.length < RESENT_PAGE;
      if (isLast && next <= last) again.push(this.gapFill(next, last + 1));
      await this.write(again);
      if (isLast || this.isClosed()) return;
    }
  }

  private gapFill(from: number, next: number): Buffer {
    const nowMs = Date.now();
    return this.encode(
      {
        msgType: MSG_TYPE.SequenceReset,
        sequence: from,
        sendingTimeMs: nowMs,
        origSendingTimeMs: nowMs,
      },
      encodeBody([
        [TAG.GapFillFlag, 'Y'],
        [TAG.NewSeqNo, String(next)],
      ]),
    );
  }

  private encode(header: Omit<OutgoingHeader, 'senderCompId' | 'targetCompId'>, body: string): Buffer {
    const { client: targetCompId, own: senderCompId } = this.names;
    return encodeMessage({ ...header, senderCompId, targetCompId }, body);
  }

  /** Throws `SlowClient`. */
  private async write(messages: readonly Buffer[]): Promise<void> {
    if (messages.length === 0 || this.isClosed()) return;
    this.events.onSent(Date.now());
    const hasRoom = this.socket.write(Buffer.concat(messages));
    if (hasRoom || this.socket.writableLength < UNREAD_BYTES_MAX) return;
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(UNREAD_MS_MAX), this.closing.signal]);
      await once(this.socket, 'drain', { signal });
    } catch {
      if (!this.isClosed()) throw new SlowClient();
    }
  }
}

function charactersOf(entry: Waiting): number {
  return entry.kind === 'send' ? entry.messages.reduce((sum, { body }) => sum + body.length, 0) : 0;
}
