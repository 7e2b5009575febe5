/** A mail server as an operator would run one: a real SMTP server that keeps what it is given, read as a person would. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { Config } from '../../src/kit/config/config.js';
import { eventually } from './eventually.js';

/** A mail, decoded. */
export interface Mail {
  /** As the envelope has it: who gets the mail, whatever its headers say. */
  readonly recipients: readonly string[];
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** `hang` takes connections and says nothing; `refuse` is out of service; `unknown` has no such mailbox. */
type Mood = 'take' | 'hang' | 'refuse' | 'unknown';

const MAIL_SERVER_USER = { user: 'service@house', pass: 'a p:ss@word' };

export class MailServer {
  readonly mails: Mail[] = [];
  /** May be changed at any time. */
  mood: Mood = 'take';
  /** How often somebody connected. */
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: SMTPServer) {}

  static async start(port = 0): Promise<MailServer> {
    const server = new SMTPServer({
      logger: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onConnect: (_session, done) => self.connected(done),
      onAuth: ({ username, password }, _session, done) => {
        const isRight = username === MAIL_SERVER_USER.user && password === MAIL_SERVER_USER.pass;
        done(isRight ? null : new Error('wrong password'), { user: username });
      },
      onRcptTo: (_address, _session, done) => {
        const refused = Object.assign(new Error('no such mailbox here'), { responseCode: 550 });
        done(self.mood === 'unknown' ? refused : null);
      },
      onData: (stream, { envelope }, done) => {
        const recipients = envelope.rcptTo.map(({ address }) => address);
        buffer(stream).then((message) => {
          self.mails.push({ recipients, ...readMail(message.toString('latin1')) });
          done();
        }, done);
      },
    });
    const self = new MailServer(server);
    // A client that leaves in the middle is no fault of the server.
    server.on('error', () => undefined);
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    server.server.on('connection', (socket: Socket) => self.sockets.add(socket));
    return self;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** The settings of a service that sends its mail here. */
  get config(): Config['mail'] {
    const { user, pass } = MAIL_SERVER_USER;
    return {
      smtpUrl: `smtp://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@127.0.0.1:${this.port}`,
      from: { name: 'Trading house', address: 'no-reply@house.example' },
    };
  }

  to(address: string): Mail[] {
    return this.mails.filter(({ recipients }) => recipients.includes(address));
  }

  /** The newest mail to an address with this subject, and these words in it, once it has come. */
  mail(address: string, subject: string, words = ''): Promise<Mail> {
    return eventually(() => {
      const found = this.to(address).findLast(
        (mail) => mail.subject === subject && mail.text.includes(words),
      );
      if (found === undefined) {
        throw new Error(
          `no "${subject}", but: ${this.to(address)
            .map((mail) => mail.subject)
            .join(', ')}`,
        );
      }
      return found;
    });
  }

  /** Ends all connections, also those that hang. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private connected(done: (error?: Error | null) => void): void {
    this.connections++;
    if (this.mood === 'hang') return;
    done(this.mood === 'refuse' ? Object.assign(new Error('later'), { responseCode: 421 }) : null);
  }
}

/** The one link of a mail to a page of the service. */
export function linkIn({ text }: Mail): URL {
  return new URL(/^https?:\S+\?token=\S+$/m.exec(text)![0]);
}

export function tokenIn(mail: Mail): string {
  return linkIn(mail).searchParams.get('token')!;
}

/** What RFC 5322 and 2045 make of the bytes; enough for mails of two parts. */
export function readMail(message: string): Omit<Mail, 'recipients'> {
  const { headers, body } = splitPart(message);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) throw new Error('a mail with one part alone');
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => splitPart(part.trimStart()));
  const [text, html] = parts.map(decoded);
  const types = parts.map((part) => part.headers.get('content-type'));
  if (types.join() !== 'text/plain; charset=utf-8,text/html; charset=utf-8') throw new Error(types.join());
  return { headers, subject: decodedHeader(headers.get('subject') ?? ''), text: text!, html: html! };
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function splitPart(part: string): Part {
  const end = part.indexOf('\r\n\r\n');
  const lines = part
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(':');
    return [name.toLowerCase(), value.join(':').trim()];
  });
  return { headers: new Map(headers), body: part.slice(end + 4) };
}

function decoded({ headers, body }: Part): string {
  const encoding = headers.get('content-transfer-encoding');
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? unquoted(body) : body, 'latin1');
  return bytes.toString('utf8').replaceAll('\r\n', '\n').trimEnd();
}

function unquoted(text: string): string {
  return text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decodedHeader(value: string): string {
  return value.replaceAll(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_all, text: string) =>
    Buffer.from(unquoted(text.replaceAll('_', ' ')), 'latin1').toString('utf8'),
  );
}
