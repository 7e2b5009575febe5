import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { REDIS_LINK, type RedisLink } from '../redis/redis-link.js';

const SEPARATOR = ' ';

/**
 * The other processes that serve the same exchange. What is said to them reaches those that Redis connects at
 * this moment, in order and at most once: so it only ever wakes them up, or is said again. Without `REDIS_URL`
 * there is nobody to talk to.
 */
@Injectable()
export class Peers {
  /** Of this process, new at every start. */
  readonly id = randomUUID();
  private readonly logger = new Logger('Peers');

  constructor(@Inject(REDIS_LINK) private readonly link: RedisLink | null) {}

  /** Whether there may be others at all. */
  get areShared(): boolean {
    return this.link !== null;
  }

  /** Whether they can be reached at this moment. */
  get areReached(): boolean {
    return this.link?.isUp === true;
  }

  /** Tells the others, where they can be reached; `message` is anything that JSON can say. */
  say(topic: string, message: object): void {
    if (!this.areReached) return;
    const payload = this.id + SEPARATOR + JSON.stringify(message);
    // Redis has just gone: whoever relies on being told has another way to find out.
    this.link!.publish(channelOf(topic), payload).catch(() => undefined);
  }

  /** Calls the listener with what the others say on the topic, from now on and after every reconnect. */
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

  /** Calls the listener whenever the others can be reached again, who may have said something meanwhile. */
  onReached(listener: () => void): void {
    this.link?.onUp(listener);
  }
}

function channelOf(topic: string): string {
  return `peers:${topic}`;
}
