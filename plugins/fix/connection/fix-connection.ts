import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import {
  ApiError,
  type Principal,
  registrationRootOf,
  type SignedKeys,
  toApiError,
  ACCOUNT_IDS,
} from '../../../src/index.js';
import { Application, type ApplicationServices } from '../application.js';
import type { Client } from '../client.js';
import { encodeBody, encodeMessage } from '../codec/encode.js';
import { type Field, RejectedField } from '../codec/fields.js';
import { FixMessage } from '../codec/fix-message.js';
import { FrameReader } from '../codec/frame-reader.js';
import { MSG_TYPE, TAG } from '../codec/tags.js';
import { type LogOn, type LogOnService, RefusedLogOn } from '../log-on.service.js';
import { Session, type SessionNames, type Step } from '../session/session.js';
import { type SessionStore, SessionTakenOver } from '../store/session-store.js';
import { Outbox, SlowClient } from './outbox.js';
import { Pace } from './pace.js';

/** How long a socket stays open after the last message, for the client to read it. */
const LINGER_MS = 2_000;
const TICK_MS = 500;
const CHECK_KEY_EVERY_MS = 1_000;
/** Messages that were read and are not worked off; with more, nothing is read. */
const INBOX_MAX = 100;
/** A client that sends so much garbage does not speak FIX. */
const GARBLED_MAX = 20;
const BUFFER_BYTES_MAX = 65_536;

export interface ConnectionServices extends ApplicationServices {
  readonly logOns: LogOnService;
  readonly keys: SignedKeys;
  readonly store: SessionStore;
  readonly messagesPerSecond: number;
}

/** What a listener is told of its connections. */
export interface ConnectionEvents {
  /**
   * Somebody of that owner has logged on: any other connection of the session is over. Throws `RefusedLogOn` where there
   * is no room.
   */
  onLogOn(owner: string, sessionId: string): void;
  onClose(): void;
}

interface LoggedOn extends LogOn {
  readonly session: Session;
  readonly outbox: Outbox;
  readonly application: Application;
}

/** A socket, from the client's first byte on: reads messages, works them off one after the other, and sends the answers. */
export class FixConnection {
  private static readonly logger = new Logger('FIX');
  private readonly frames = new FrameReader();
  private readonly inbox: Buffer[] = [];
  private readonly pace: Pace;
  private readonly timers: NodeJS.Timeout[] = [];
  private state: LoggedOn | undefined;
  private principal: Principal | undefined;
  /** See `OutboxEvents.nextIncoming`. */
  private workedOff = 1;
  private isWorking = false;
  /** After a refusal nothing is read: each connection gets one try. */
  private isRefused = false;
  private isClosed = false;

  constructor(
    private readonly socket: Socket,
    /** The client's, also behind a proxy. */
    private readonly address: string,
    private readonly services: ConnectionServices,
    private readonly events: ConnectionEvents,
  ) {
    this.pace = new Pace(services.messagesPerSecond);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('end', () => this.destroy());
    socket.on('close', () => void this.close());
  }

  get sessionId(): string | undefined {
    return this.state?.opened.sessionId;
  }

  /** Whose the session is: see `registrationRootOf`. */
  get owner(): string | undefined {
    return this.state && registrationRootOf(this.state.signer.principal);
  }

  /** Logs the client out; without a client, hangs up. */
  async end(text: string): Promise<void> {
    if (this.state === undefined) this.destroy();
    else await this.perform(this.state, this.state.session.logOut(text));
  }

  /** Hangs up without a word. */
  destroy(): void {
    this.socket.destroy();
  }

  private async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.inbox.length = 0;
    this.state?.application.end();
    this.events.onClose();
    await this.state?.outbox.close();
  }

  private read(chunk: Buffer): void {
    if (this.isRefused) return;
    this.frames.push(chunk);
    for (let frame = this.frames.next(); frame !== undefined; frame = this.frames.next())
      this.inbox.push(frame);
    if (this.inbox.length > 0) this.state?.session.heard(Date.now());
    const garbledMax = this.state === undefined ? 0 : GARBLED_MAX;
    if (this.frames.garbled > garbledMax || this.frames.bufferedBytes > BUFFER_BYTES_MAX) {
      this.destroy();
      return;
    }
    if (this.inbox.length > INBOX_MAX) this.socket.pause();
    if (this.inbox.length > 0 && !this.isWorking) void this.workOff();
  }

  private async workOff(): Promise<void> {
    this.isWorking = true;
    try {
      for (let frame = this.inbox.shift(); frame !== undefined; frame = this.inbox.shift()) {
        await this.pace.pass();
        if (this.isClosed || this.isRefused) return;
        await this.take(FixMessage.read(frame));
        if (this.inbox.length === 0) this.socket.resume();
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.isWorking = false;
    }
  }

  private async take(message: FixMessage): Promise<void> {
    const { state } = this;
    if (state === undefined) {
      await this.logOn(message);
      return;
    }
    await this.perform(state, state.session.receive(message, Date.now()));
    this.workedOff = state.session.nextIncoming;
  }

  private async perform(state: LoggedOn, steps: readonly Step[]): Promise<void> {
    const { session, outbox, application } = state;
    for (const step of steps) {
      switch (step.do) {
        case 'send':
          outbox.send(step.msgType, step.fields, false);
          break;
        case 'resend':
          await outbox.resend(step.from, step.to);
          break;
        case 'end':
          application.end();
          await this.hangUp(outbox);
          break;
        case 'deliver':
          try {
            await application.take(step.message);
          } catch (error) {
            if (!(error instanceof RejectedField)) throw error;
            await this.perform(state, [session.reject(step.message, error)]);
          }
      }
    }
  }

  /** After what was sent has been written. */
  private async hangUp(outbox: Outbox): Promise<void> {
    await outbox.written();
    this.socket.end();
    this.timers.push(setTimeout(() => this.destroy(), LINGER_MS));
  }

  private async logOn(message: FixMessage): Promise<void> {
    const { logOns } = this.services;
    const names = logOns.namesOf(message);
    // Whoever does not begin with a Logon to us is told nothing.
    if (names === undefined) {
      this.destroy();
      return;
    }
    try {
      const logOn = await logOns.logOn(message, names, this.address);
      this.events.onLogOn(registrationRootOf(logOn.signer.principal), logOn.opened.sessionId);
      await this.begin(logOn, message);
    } catch (error) {
      if (this.state === undefined) this.refuse(names, error);
      else await this.end(refusalOf(error));
    }
  }

  private async begin(logOn: LogOn, message: FixMessage): Promise<void> {
    const { opened, names, signer } = logOn;
    const session = new Session(names, opened.progress.nextIncoming);
    this.workedOff = opened.progress.nextIncoming;
    const outbox = new Outbox(this.socket, this.services.store, opened, names, {
      nextIncoming: () => this.workedOff,
      onSent: (nowMs) => session.sent(nowMs),
      onFailure: (error) => this.fail(error),
    });
    this.principal = signer.principal;
    const application = new Application(this.services, this.clientOf(outbox, signer.principal), {
      progress: opened.progress,
      report: (reports, progress) => outbox.report(MSG_TYPE.ExecutionReport, reports, progress),
    });
    if (this.isClosed) return;
    const state = { ...logOn, session, outbox, application };
    this.state = state;
    const steps = session.logOn(message, Date.now());
    const isIn = steps.every((step) => step.do !== 'end');
    await this.perform(state, steps);
    this.workedOff = session.nextIncoming;
    if (!isIn) return;
    await application.begin();
    this.startTimers(state);
  }

  private startTimers(state: LoggedOn): void {
    if (this.isClosed) return;
    this.timers.push(
      setInterval(() => this.tick(state), TICK_MS),
      setInterval(() => void this.checkKey(state), CHECK_KEY_EVERY_MS),
    );
  }

  private tick(state: LoggedOn): void {
    const nowMs = Date.now();
    // Who waits for us is not silent.
    if (this.inbox.length > 0) state.session.heard(nowMs);
    this.attempt(state, state.session.tick(nowMs));
  }

  private clientOf(outbox: Outbox, { accountId }: Principal): Client {
    const current = (): Principal => this.principal!;
    return {
      get principal() {
        return current();
      },
      accountId: ACCOUNT_IDS.format(accountId!),
      send: (msgType, fields) => outbox.send(msgType, fields, true),
      sendUnkept: (msgType, fields) => outbox.send(msgType, fields, false),
      caughtUp: () => outbox.written(),
      pace: () => this.pace.pass(),
      end: (text) => void this.end(text).catch((error: unknown) => this.fail(error)),
    };
  }

  private attempt(state: LoggedOn, steps: readonly Step[]): void {
    this.perform(state, steps).catch((error: unknown) => this.fail(error));
  }

  /** A Logout outside of any session: it has no number that counts. */
  private refuse({ client, own }: SessionNames, error: unknown): void {
    const fields: Field[] = [[TAG.Text, refusalOf(error)]];
    this.isRefused = true;
    this.inbox.length = 0;
    const header = { msgType: MSG_TYPE.Logout, sequence: 1, senderCompId: own, targetCompId: client };
    this.socket.end(encodeMessage({ ...header, sendingTimeMs: Date.now() }, encodeBody(fields)));
    this.timers.push(setTimeout(() => this.destroy(), LINGER_MS));
  }

  private async checkKey({ signer }: LogOn): Promise<void> {
    try {
      const principal = await this.services.keys.principalOf(signer.credential);
      if (principal === undefined) await this.end('The key has ended.');
      else this.principal = principal;
    } catch {
      // What cannot be looked at now is looked at again.
    }
  }

  private fail(error: unknown): void {
    this.destroy();
    if (this.isClosed || error instanceof SessionTakenOver) return;
    const msg = error instanceof SlowClient ? 'a client did not read' : 'a session has failed';
    FixConnection.logger.warn({ msg, session_id: this.sessionId, err: error });
  }
}

/** Whether a key, a signature or a time was wrong is nobody's business. */
function refusalOf(error: unknown): string {
  if (error instanceof RefusedLogOn) return error.message;
  if (error instanceof RejectedField) return `${error.message} (${error.tag})`;
  const known = error instanceof ApiError ? error : toApiError(error);
  return known.status === 401 ? new RefusedLogOn().message : known.message;
}
