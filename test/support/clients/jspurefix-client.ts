/** jspurefix as it is on npm, set to a service of ours: an engine that knows nothing of ours. */
import { createHmac } from 'node:crypto';
import { ensureTools } from '../../../scripts/support/tools.js';
import type {
  EngineFactory,
  IJsFixConfig,
  ISessionDescription,
  ISessionMsgFactory,
  MsgView,
} from '../../tools/clients/index.js';
import { eventually } from '../eventually.js';
import type { FixKey } from './fix-client.js';

await ensureTools('test/tools/clients');
const { AsciiSession, AsciiSessionMsgFactory, EmptyLogFactory, MsgType, SessionLauncher } =
  await import('../../tools/clients/index.js');

type Loose = Record<string, unknown>;

/** A message that came, as the engine reads it. */
export interface EngineMessage {
  readonly msgType: string;
  readonly fields: Loose;
}

const OWN_COMP_ID = 'TRADEPOST';

/** Signs the Logon, which the engine leaves to its user: the header must have the time that was signed. */
class SigningFactory extends AsciiSessionMsgFactory {
  private signedAt = new Date();

  constructor(
    description: ISessionDescription,
    private readonly key: FixKey,
  ) {
    super(description);
  }

  override logon(): Loose {
    this.signedAt = new Date();
    const time = this.signedAt.toISOString().slice(0, -1).replaceAll('-', '').replace('T', '-');
    const signed = ['A', this.description.SenderCompId, OWN_COMP_ID, '1', time].join('\x01');
    const signature = createHmac('sha256', this.key.secret).update(signed).digest('base64');
    return { ...super.logon(), RawDataLength: signature.length, RawData: Buffer.from(signature) };
  }

  override header(...[msgType, sequence, time, ...rest]: Parameters<ISessionMsgFactory['header']>): Loose {
    return super.header(msgType, sequence, msgType === 'A' ? this.signedAt : time, ...rest);
  }
}

export class EngineSession extends AsciiSession {
  readonly received: EngineMessage[] = [];
  isReady = false;
  hasStopped = false;

  static of(config: IJsFixConfig): EngineSession {
    return new EngineSession(config);
  }

  /** The first message of a type that has these fields. */
  expect(msgType: string, fields: Loose): Promise<Loose> {
    return eventually(() => {
      const found = this.received.find(
        (message) =>
          message.msgType === msgType &&
          Object.entries(fields).every(([name, value]) => message.fields[name] === value),
      );
      if (found === undefined) throw new Error(`no ${msgType} among ${JSON.stringify(this.received)}`);
      return found.fields;
    });
  }

  override send(msgType: string, message: Loose): void {
    super.send(msgType, message);
  }

  protected override onReady(): void {
    this.isReady = true;
  }

  protected override onStopped(): void {
    this.hasStopped = true;
  }

  protected override onLogon(): boolean {
    return true;
  }

  protected override onApplicationMsg(msgType: string, view: MsgView): void {
    this.received.push({ msgType, fields: view.toObject() as Loose });
  }

  protected override onDecoded(): void {
    // Nothing is logged.
  }

  protected override onEncoded(): void {
    // Nothing is logged.
  }
}

class Launcher extends SessionLauncher {
  session: EngineSession | undefined;

  constructor(
    description: ISessionDescription,
    private readonly key: FixKey,
  ) {
    super(description, null, new EmptyLogFactory());
  }

  protected override makeSessionMsgFactory(description: ISessionDescription): ISessionMsgFactory {
    return new SigningFactory(description, this.key);
  }

  protected override makeFactory(): EngineFactory {
    return {
      makeSession: (config: IJsFixConfig) => (this.session = EngineSession.of(config)),
    };
  }
}

/** A session that is logged on. */
export async function engineAt(
  port: number,
  senderCompId: string,
  key: FixKey,
): Promise<{ session: EngineSession; ended: Promise<unknown> }> {
  const launcher = new Launcher(
    {
      application: {
        type: 'initiator',
        name: senderCompId,
        tcp: { host: '127.0.0.1', port },
        protocol: 'ascii',
        dictionary: 'qf44',
      },
      Username: key.apiKey,
      HeartBtInt: 30,
      ResetSeqNumFlag: true,
      SenderCompId: senderCompId,
      TargetCompID: OWN_COMP_ID,
      BeginString: 'FIX.4.4',
    } as unknown as ISessionDescription,
    key,
  );
  const ended = launcher.run();
  await eventually(() => launcher.session?.isReady === true, 'the engine is logged on');
  return { session: launcher.session!, ended };
}

export { MsgType };
