import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { REDIS_LINK, type RedisLink } from '../redis/redis-link.js';

const SEPARATOR = ' ';

/**
 * The other processes of the same exchange. A message reaches the processes connected to Redis at that moment, in order
 * and at most once: so messages only wake others up, or are repeated. Without `REDIS_URL` there are no peers.
 */
@Injectable()
export class Peers {
  /** Of this process; new at every start. */
  readonly id = randomUUID();
  private readonly logger = new Logger('Peers');

  constructor(@Inject(REDIS_LINK) private readonly link: RedisLink | null) {}

  /** Whether there may be other processes. */
  get areShared(): boolean {
    return this.link !== null;
  }

  /** Whether they are reachable now. */
  get areReached(): boolean {
    return this.link?.isUp === true;
  }

  /** Publishes to the others if they are reachable; `message` is any JSON. */
  say(topic: string, message: object): void {
    if (!this.areReached) return;
    const payload = this.id + SEPARATOR + JSON.stringify(message);
    // Redis has just disconnected; receivers have another way to catch up.
    this.link!.publish(channelOf(topic), payload).catch(() => undefined);
  }

  /** Calls the listener with the others' messages on the topic, from now on and after every reconnect. */
  async listen(topic: string, listener: (message: never, from: string) => void): Promise<void> {
    await this.link?.subscribe(channelOf(topic), (payload) => {
      const text = payload.toString('utf8');
      const end = text.indexOf(SEPARATOR);
      const from = text.slice(0, end);
      if (from === this.id) return;
      try {
        listener(JSON.parse(text.slice(end)) as never, from);
      } catch (error) {
        this.logger.error({ err: error, topic, msg: 'what another process said could not be taken up' });
      }
    });
  }

  /** Calls the listener at every reconnect, since messages may have been missed. */
  onReached(listener: () => void): void {
    this.link?.onUp(listener);
  }
}

function channelOf(topic: string): string {
  return `peers:${topic}`;
}
