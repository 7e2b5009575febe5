import { hash } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { REDIS_LINK, type RedisLink } from '../../kit/redis/redis-link.js';

const FAMILIAR_MAX = 10_000;
const FAMILIAR_FOR_MS = 30 * 24 * 3_600_000;
/** How long a log-in waits for Redis; who is not known by then is a stranger. */
const REDIS_MS_MAX = 50;

/** From where users have logged in before: known to all processes that share a Redis, and to this one anyhow. */
@Injectable()
export class FamiliarPlaces {
  private readonly known = new LRUCache<string, true>({ max: FAMILIAR_MAX, ttl: FAMILIAR_FOR_MS });

  constructor(@Optional() @Inject(REDIS_LINK) private readonly link: RedisLink | null = null) {}

  /** `place` names a user and a bucket of addresses. Never rejects. */
  async has(place: string): Promise<boolean> {
    if (this.known.has(place)) return true;
    if (this.link?.isUp !== true) return false;
    const isKnown = this.link.client.exists(keyOf(this.link, place)).then(
      (count) => count > 0,
      () => false,
    );
    return inTime(isKnown);
  }

  add(place: string): void {
    this.known.set(place, true);
    if (this.link?.isUp !== true) return;
    const expiration = { type: 'PX', value: FAMILIAR_FOR_MS } as const;
    this.link.client.set(keyOf(this.link, place), '1', { expiration }).catch(() => undefined);
  }
}

/** Redis must not contain names of users. */
function keyOf(link: RedisLink, place: string): string {
  return link.lastingNameOf(`familiar:${hash('sha256', place, 'base64url')}`);
}

async function inTime(isKnown: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), REDIS_MS_MAX);
  });
  const answer = await Promise.race([isKnown, late]);
  clearTimeout(timer);
  return answer;
}
