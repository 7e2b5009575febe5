/** Places orders through sessions of FIX, each of which waits for the report of its order before the next. */
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { encodeBody, encodeMessage, utcTimeOf } from '../../plugins/fix/codec/encode.js';
import { MSG_TYPE, TAG } from '../../plugins/fix/codec/tags.js';
import { type LoadResult, loadResult } from './load-result.js';

export interface FixLoadRequest {
  readonly host: string;
  readonly port: number;
  readonly sessions: readonly FixSession[];
  readonly durationMs: number;
}

export interface FixSession {
  readonly senderCompId: string;
  readonly apiKey: string;
  readonly secret: string;
  /** Fields of a NewOrderSingle, but for its ClOrdID and time; sent over and over again. */
  readonly orders: readonly string[];
}

const SOH = '\x01';
const TARGET_COMP_ID = 'TRADEPOST';
const HEARTBEAT_S = '300';
const CHECKSUM_FIELD_LENGTH = 7;
/** What counts for an order that was accepted, and for one that was not. */
const DONE = 200;
const FAILED = 500;

/** Of the process, not of a round: a ClOrdID is taken for good. */
let lastOrder = 0;

export async function runFix({ host, port, sessions, durationMs }: FixLoadRequest): Promise<LoadResult> {
  const clients = await Promise.all(sessions.map((session) => Client.logOn(host, port, session)));
  const statuses: Record<number, number> = {};
  const latenciesMs: number[] = [];
  let refusal: string | undefined;
  const startedAt = performance.now();
  const place = async (client: Client): Promise<void> => {
    while (performance.now() < startedAt + durationMs) {
      const sentAt = performance.now();
      const report = await client.place();
      const status = report.includes(`${SOH}${TAG.ExecType}=0${SOH}`) ? DONE : FAILED;
      if (status === FAILED) refusal ??= report;
      statuses[status] = (statuses[status] ?? 0) + 1;
      latenciesMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(clients.map(place));
  for (const client of clients) client.socket.destroy();
  return { ...loadResult(statuses, latenciesMs, startedAt), refusal };
}

class Client {
  private sequence = 1;
  private sent = 0;
  private received = '';
  /** Part of the message that is waited for. */
  private wanted = '';
  private onWanted: (message: string) => void = () => undefined;
  private onEnd: (reason: Error) => void = () => undefined;

  private constructor(
    readonly socket: Socket,
    private readonly session: FixSession,
  ) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.read(chunk));
    socket.on('close', () => this.onEnd(new Error('The service has hung up.')));
  }

  static async logOn(host: string, port: number, session: FixSession): Promise<Client> {
    const socket = await new Promise<Socket>((resolve, reject) => {
      const opened = connect({ host, port, noDelay: true }, () => resolve(opened));
      opened.once('error', reject);
    });
    const client = new Client(socket, session);
    const answer = client.next(`${SOH}${TAG.MsgType}=`);
    client.sendLogOn();
    const logOn = await answer;
    if (!logOn.includes(`${SOH}${TAG.MsgType}=${MSG_TYPE.Logon}${SOH}`)) throw new Error(logOn);
    return client;
  }

  /** Answers the first report of the order. */
  place(): Promise<string> {
    const { orders } = this.session;
    const id = `fix-${++lastOrder}`;
    const report = this.next(`${SOH}${TAG.ClOrdID}=${id}${SOH}`);
    this.send(
      MSG_TYPE.NewOrderSingle,
      Date.now(),
      `${TAG.ClOrdID}=${id}${SOH}${orders[this.sent++ % orders.length]!}`,
    );
    return report;
  }

  private sendLogOn(): void {
    const { senderCompId, apiKey, secret } = this.session;
    const nowMs = Date.now();
    const signed = [MSG_TYPE.Logon, senderCompId, TARGET_COMP_ID, this.sequence, utcTimeOf(nowMs)].join(SOH);
    const signature = createHmac('sha256', secret).update(signed, 'latin1').digest('base64');
    this.send(
      MSG_TYPE.Logon,
      nowMs,
      encodeBody([
        [TAG.EncryptMethod, '0'],
        [TAG.HeartBtInt, HEARTBEAT_S],
        [TAG.ResetSeqNumFlag, 'Y'],
        [TAG.Username, apiKey],
        [TAG.RawDataLength, String(signature.length)],
        [TAG.RawData, signature],
      ]),
    );
  }

  private send(msgType: string, sendingTimeMs: number, body: string): void {
    const names = { senderCompId: this.session.senderCompId, targetCompId: TARGET_COMP_ID };
    this.socket.write(encodeMessage({ ...names, msgType, sequence: this.sequence++, sendingTimeMs }, body));
  }

  private next(wanted: string): Promise<string> {
    this.wanted = wanted;
    return new Promise((resolve, reject) => {
      this.onWanted = resolve;
      this.onEnd = reject;
    });
  }

  private read(chunk: string): void {
    this.received += chunk;
    for (;;) {
      const trailer = this.received.indexOf(`${SOH}10=`);
      const end = trailer + 1 + CHECKSUM_FIELD_LENGTH;
      if (trailer === -1 || this.received.length < end) return;
      const message = this.received.slice(0, end);
      this.received = this.received.slice(end);
      if (message.includes(this.wanted)) this.onWanted(message);
    }
  }
}
