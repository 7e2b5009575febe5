/**
 * Sockets in a room, and one that sends to it: a number of messages at once, and the next when those have reached
 * everyone. The first request opens the sockets; later ones reuse them.
 */
import { performance } from 'node:perf_hooks';
import { type SocketAddress, SocketClient, frameOf } from './socket-client.js';

export interface FanOutRequest extends SocketAddress {
  readonly roomId: string;
  readonly followers: number;
  readonly followerToken: string;
  readonly senderToken: string;
  /** How many messages are sent at once. */
  readonly atOnce: number;
  readonly durationMs: number;
}

export interface FanOutResult {
  /** How many messages arrived, counted at each socket. */
  readonly deliveries: number;
  readonly seconds: number;
}

/** How many sockets are opened at once. */
const OPENING_MAX = 50;
/** Sent before anyone follows: a round has few messages and many deliveries, and both shall run compiled. */
const WARM_UP_MESSAGES = 3_000;
const WARM_UP_AT_ONCE = 50;
const TEXT = 'As long as a line in a conversation is, now and then, when somebody has something to say.';

class Crowd {
  private deliveries = 0;
  private onDelivery: () => void = () => undefined;

  private constructor(
    private readonly sender: SocketClient,
    private readonly request: FanOutRequest,
  ) {}

  static async gather(request: FanOutRequest): Promise<Crowd> {
    const crowd = new Crowd(await SocketClient.open(request, request.senderToken), request);
    await crowd.warmUp();
    let left = request.followers;
    const open = async (): Promise<void> => {
      while (left-- > 0) await crowd.join(await SocketClient.open(request, request.followerToken));
    };
    await Promise.all(Array.from({ length: OPENING_MAX }, open));
    return crowd;
  }

  private warmUp(): Promise<void> {
    const { namespace } = this.request;
    let acknowledged = 0;
    return new Promise((resolve, reject) => {
      this.sender.onText = (text) => {
        if (!text.startsWith(`43${namespace},0`)) return;
        if (!text.startsWith(`43${namespace},0[{"data"`)) reject(new Error(text));
        acknowledged++;
        if (acknowledged === WARM_UP_MESSAGES) {
          this.sender.onText = () => undefined;
          resolve();
        } else if (acknowledged % WARM_UP_AT_ONCE === 0) this.send(WARM_UP_AT_ONCE);
      };
      this.send(WARM_UP_AT_ONCE);
    });
  }

  private send(messages: number): void {
    const { namespace, roomId } = this.request;
    const message = JSON.stringify(['message.send', { room_id: roomId, text: TEXT }]);
    const frame = frameOf(`42${namespace},0${message}`);
    this.sender.socket.write(Buffer.concat(new Array<Buffer>(messages).fill(frame)));
  }

  /** Sends until the time is over, and waits until everything has arrived. */
  run(atOnce: number, durationMs: number): Promise<FanOutResult> {
    const { followers } = this.request;
    const startedAt = performance.now();
    const before = this.deliveries;
    let sent = 0;
    return new Promise((resolve) => {
      this.onDelivery = () => {
        const deliveries = this.deliveries - before;
        if (deliveries < sent * followers) return;
        const elapsedMs = performance.now() - startedAt;
        if (elapsedMs >= durationMs) {
          this.onDelivery = () => undefined;
          resolve({ deliveries, seconds: elapsedMs / 1_000 });
          return;
        }
        this.send(atOnce);
        sent += atOnce;
      };
      this.onDelivery();
    });
  }

  /** Follows the room; resolves when the service has acknowledged it. */
  private join(follower: SocketClient): Promise<void> {
    const { namespace, roomId } = this.request;
    const message = `42${namespace},["message.new"`;
    return new Promise((resolve, reject) => {
      follower.onText = (text) => {
        if (text.startsWith(`43${namespace},0[{"data"`)) {
          follower.onText = (event) => {
            if (!event.startsWith(message)) return;
            this.deliveries++;
            this.onDelivery();
          };
          resolve();
        } else if (text.startsWith(`43${namespace},0`)) reject(new Error(text));
      };
      follower.socket.write(frameOf(`42${namespace},0${JSON.stringify(['room.join', { room_id: roomId }])}`));
    });
  }
}

let crowd: Promise<Crowd> | undefined;

process.on('message', (request: FanOutRequest) => {
  crowd ??= Crowd.gather(request);
  crowd
    .then((gathered) => gathered.run(request.atOnce, request.durationMs))
    .then(
      (result) => process.send!(result),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        process.exit(1);
      },
    );
});
