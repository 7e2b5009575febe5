/** A client of FIX over a plain socket, with an encoder of its own: it can send what no engine would. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import type { Caller } from '../caller.js';
import { eventually } from '../eventually.js';

const SOH = '\x01';

/** What a client signs with: a secret by HMAC, a private key by Ed25519. */
export interface FixKey<Secret extends string | KeyObject = string> {
  readonly apiKey: string;
  readonly secret: Secret;
}

/** A key with `signing` for a user. */
export async function fixKeyOf(
  caller: Pick<Caller, 'post'>,
  scopes: readonly string[] = ['markets:trade', 'account:read'],
): Promise<FixKey & { readonly id: string }> {
  const { status, body } = await caller.post('/auth/api-keys', {
    name: 'fix',
    scopes,
    signing: 'hmac-sha256',
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return { apiKey: body.api_key, secret: body.secret, id: body.api_key_id };
}

/** The same whose private half stays here. */
export async function ed25519FixKeyOf(caller: Pick<Caller, 'post'>): Promise<FixKey<KeyObject>> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { status, body } = await caller.post('/auth/api-keys', {
    name: 'fix',
    scopes: ['markets:trade', 'account:read'],
    signing: 'ed25519',
    public_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return { apiKey: body.api_key, secret: privateKey };
}

/** Tags and values, such as `{ 35: 'D', 11: 'one' }`; fields that repeat come in `tail`, as text. */
export type FixFields = Readonly<Record<number, string | number>>;

/** A message that came: the first value of each tag, and the whole text with `|` for SOH. */
export interface ReceivedMessage {
  readonly text: string;
  readonly [tag: number]: string;
}

export interface LogOnOptions {
  readonly heartBeatS?: number;
  readonly isReset?: boolean;
  /** More fields, or others than usual. */
  readonly more?: FixFields;
}

export class FixClient {
  readonly received: ReceivedMessage[] = [];
  /** The number of the next message. */
  next = 1;
  isClosed = false;
  private read = 0;
  private buffered = '';

  private constructor(
    readonly socket: Socket,
    private readonly senderCompId: string,
    private readonly key: FixKey<string | KeyObject>,
  ) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.take(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  static async connect(
    port: number,
    senderCompId: string,
    key: FixKey<string | KeyObject>,
  ): Promise<FixClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new FixClient(socket, senderCompId, key);
  }

  /** Sends a Logon; the answer comes like any other message. */
  sendLogOn({ heartBeatS = 30, isReset = false, more = {} }: LogOnOptions = {}): void {
    if (isReset) this.next = 1;
    this.send('A', { 98: 0, 108: heartBeatS, ...(isReset ? { 141: 'Y' } : {}), ...more } as FixFields);
  }

  async logOn(options?: LogOnOptions): Promise<ReceivedMessage> {
    this.sendLogOn(options);
    return this.expect({ 35: 'A' });
  }

  /** The header is made here, as far as the fields do not have it; Logons are signed. */
  send(msgType: string, fields: FixFields = {}, tail = ''): void {
    const sequence = fields[34] ?? this.next;
    if (fields[34] === undefined) this.next++;
    this.socket.write(this.encode({ 35: msgType, ...fields, 34: sequence }, tail), 'latin1');
  }

  sendBytes(bytes: string | Buffer): void {
    this.socket.write(bytes, 'latin1');
  }

  encode(fields: FixFields, tail = ''): string {
    const header = {
      35: '0',
      49: this.senderCompId,
      56: 'TRADEPOST',
      34: this.next,
      52: utcTime(),
      ...fields,
    } as Record<number, string | number>;
    const ordered = [35, 49, 56, 34, 52].map((tag) => [tag, header[tag]] as const);
    const rest = Object.entries(fields).filter(
      ([tag]) => ![8, 9, 10, 35, 49, 56, 34, 52].includes(Number(tag)),
    );
    const signed =
      header[35] === 'A' ? this.signatureOf(header).filter(([tag]) => fields[tag] === undefined) : [];
    const body =
      [...ordered, ...rest, ...signed].map(([tag, value]) => `${tag}=${value}${SOH}`).join('') +
      tail.replaceAll('|', SOH);
    const whole = `8=${fields[8] ?? 'FIX.4.4'}${SOH}9=${fields[9] ?? body.length}${SOH}${body}`;
    return `${whole}10=${fields[10] ?? checkSumOf(whole)}${SOH}`;
  }

  /** The next message that has these values; those before it are skipped. */
  async expect(fields: FixFields, what?: string): Promise<ReceivedMessage> {
    const wanted = Object.entries(fields);
    const isWanted = (message: ReceivedMessage): boolean =>
      wanted.every(([tag, value]) => message[Number(tag)] === String(value));
    return eventually(() => {
      const found = this.received.findIndex((message, place) => place >= this.read && isWanted(message));
      if (found === -1) {
        const seen = this.received.slice(this.read).map(({ text }) => text);
        throw new Error(`no ${what ?? JSON.stringify(fields)} among:\n${seen.join('\n')}`);
      }
      this.read = found + 1;
      return this.received[found]!;
    });
  }

  /** The next message, whatever it is. */
  async nextMessage(): Promise<ReceivedMessage> {
    await eventually(() => this.received.length > this.read, 'another message came');
    return this.received[this.read++]!;
  }

  async disconnected(): Promise<void> {
    await eventually(() => this.isClosed, 'the service has hung up');
  }

  close(): void {
    this.socket.destroy();
  }

  private signatureOf(header: Readonly<Record<number, string | number>>): [number, string | number][] {
    const text = [35, 49, 56, 34, 52].map((tag) => header[tag]).join(SOH);
    const { secret } = this.key;
    const signature = (
      typeof secret === 'string'
        ? createHmac('sha256', secret).update(text, 'latin1').digest()
        : sign(null, Buffer.from(text, 'latin1'), secret)
    ).toString('base64');
    return [
      [553, this.key.apiKey],
      [95, signature.length],
      [96, signature],
    ];
  }

  private take(chunk: string): void {
    this.buffered += chunk;
    for (;;) {
      // eslint-disable-next-line no-control-regex
      const end = /\x0110=(\d{3})\x01/.exec(this.buffered);
      if (end === null) return;
      const raw = this.buffered.slice(0, end.index + end[0].length);
      this.buffered = this.buffered.slice(raw.length);
      expect(checkSumOf(raw.slice(0, end.index + 1))).toBe(end[1]);
      const fields = raw
        .split(SOH)
        .filter(Boolean)
        .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)] as const);
      const body = raw.slice(raw.indexOf(`${SOH}35=`) + 1, end.index + 1);
      expect(fields[1]).toEqual(['9', String(body.length)]);
      const first = Object.fromEntries([...fields].reverse());
      this.received.push({ ...first, text: raw.replaceAll(SOH, '|') });
    }
  }
}

export function checkSumOf(text: string): string {
  let sum = 0;
  for (const byte of Buffer.from(text, 'latin1')) sum += byte;
  return String(sum % 256).padStart(3, '0');
}

/** A UTCTimestamp, some time from now. */
export function utcTime(inMs = 0): string {
  const [date, time] = new Date(Date.now() + inMs).toISOString().slice(0, -1).split('T');
  return `${date!.replaceAll('-', '')}-${time}`;
}
