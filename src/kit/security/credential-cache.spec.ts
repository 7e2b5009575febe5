import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Principal } from './principal.js';
import { CredentialCache, type Credential } from './credential-cache.js';

const START_MS = Date.UTC(2026, 10, 1);

function credentialOf(id: string, expiresAtMs = Infinity): Credential {
  const answer: Principal = {
    kind: 'client',
    key: `client:${id}`,
    id,
    accountOwner: `client:${id}`,
    accountId: 1,
    scopes: new Set(['markets:trade']),
  };
  return { answer, expiresAtMs, heldBy: [`client:${id}`] };
}

/** A store whose content a test changes at will, and that counts how it is asked. */
class Store {
  readonly credentials = new Map<string, Credential>();
  readonly queries: string[][] = [];
  /** Held back until the test lets them go. */
  gate: Promise<void> = Promise.resolve();

  find = async (digests: readonly string[]): Promise<ReadonlyMap<string, Credential>> => {
    this.queries.push([...digests]);
    const found = new Map(
      digests.flatMap((digest) => {
        const credential = this.credentials.get(digest);
        return credential ? [[digest, credential] as const] : [];
      }),
    );
    await this.gate;
    return found;
  };
}

describe('CredentialCache', () => {
  let store: Store;
  let cache: CredentialCache;

  beforeEach(() => {
    vi.useFakeTimers({ now: START_MS });
    store = new Store();
    cache = new CredentialCache(store.find);
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('asks the store once and answers with the same promise from then on', async () => {
    store.credentials.set('a', credentialOf('demo'));
    expect((await cache.lookUp('a'))?.key).toBe('client:demo');
    expect(cache.lookUp('a')).toBe(cache.lookUp('a'));
    expect(store.queries).toEqual([['a']]);
  });

  it('knows nobody behind a digest that the store does not know, and asks again next time', async () => {
    expect(await cache.lookUp('a')).toBeUndefined();
    store.credentials.set('a', credentialOf('demo'));
    expect((await cache.lookUp('a'))?.id).toBe('demo');
  });

  it('honours the time of expiry to the millisecond, without asking', async () => {
    store.credentials.set('a', credentialOf('demo', START_MS + 400));
    await cache.lookUp('a');
    vi.advanceTimersByTime(399);
    expect(await cache.lookUp('a')).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(await cache.lookUp('a')).toBeUndefined();
    expect(store.queries).toHaveLength(1);
  });

  it('does not take from the store what has expired meanwhile', async () => {
    store.credentials.set('a', credentialOf('demo', START_MS));
    expect(await cache.lookUp('a')).toBeUndefined();
  });

  it('asks again in the background after half a second, and sees what another process revoked', async () => {
    store.credentials.set('a', credentialOf('demo'));
    await cache.lookUp('a');
    store.credentials.delete('a');
    vi.advanceTimersByTime(500);
    expect(await cache.lookUp('a')).toBeDefined();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.queries).toHaveLength(2);
    expect(await cache.lookUp('a')).toBeUndefined();
  });

  it('never answers from what is a second old', async () => {
    store.credentials.set('a', credentialOf('demo'));
    await cache.lookUp('a');
    store.credentials.delete('a');
    vi.advanceTimersByTime(1_000);
    expect(await cache.lookUp('a')).toBeUndefined();
  });

  it('keeps answering while a refresh fails, and rejects once it would be stale', async () => {
    store.credentials.set('a', credentialOf('demo'));
    await cache.lookUp('a');
    store.gate = Promise.reject(new Error('database away'));
    vi.advanceTimersByTime(600);
    expect(await cache.lookUp('a')).toBeDefined();
    await vi.advanceTimersByTimeAsync(0);
    expect(await cache.lookUp('a')).toBeDefined();
    vi.advanceTimersByTime(400);
    await expect(cache.lookUp('a')).rejects.toThrow('database away');
  });

  it('forgets at once', async () => {
    store.credentials.set('a', credentialOf('demo'));
    await cache.lookUp('a');
    store.credentials.delete('a');
    cache.forget('a');
    expect(await cache.lookUp('a')).toBeUndefined();
  });

  it('forgets at once all that somebody holds, and nothing else', async () => {
    for (const [digest, holder] of [
      ['a', 'demo'],
      ['b', 'demo'],
      ['c', 'maker'],
    ] as const) {
      store.credentials.set(digest, credentialOf(holder));
      await cache.lookUp(digest);
    }
    store.credentials.clear();
    cache.forgetAllOf('client:demo');
    expect(await cache.lookUp('a')).toBeUndefined();
    expect(await cache.lookUp('b')).toBeUndefined();
    expect(await cache.lookUp('c')).toBeDefined();
  });

  it('does not remember an answer that was on its way when something was forgotten', async () => {
    store.credentials.set('a', credentialOf('demo'));
    let open = (): void => undefined;
    store.gate = new Promise((resolve) => (open = resolve));
    const early = cache.lookUp('a');
    store.credentials.delete('a');
    cache.forget('a');
    const late = cache.lookUp('a');
    open();
    expect(await early).toBeDefined();
    expect(await late).toBeUndefined();
  });

  it('runs one query at a time, and each takes all that was asked meanwhile', async () => {
    let open = (): void => undefined;
    store.gate = new Promise((resolve) => (open = resolve));
    const answers = ['a', 'b', 'c', 'b'].map((digest) => cache.lookUp(digest));
    expect(store.queries).toEqual([['a']]);
    open();
    await Promise.all(answers);
    expect(store.queries).toEqual([['a'], ['b', 'c']]);
  });

  it('refuses to queue more than it can bear', async () => {
    let open = (): void => undefined;
    store.gate = new Promise((resolve) => (open = resolve));
    const answers = Array.from({ length: 10_001 }, (_, index) => cache.lookUp(`digest ${index}`));
    await expect(cache.lookUp('one more')).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    open();
    await Promise.all(answers);
    expect(Math.max(...store.queries.map((query) => query.length))).toBe(500);
  });

  describe('with a watch', () => {
    const used: string[] = [];
    let unchangedUntilMs: (sinceMs: number) => number;
    const known = (): Credential => ({ ...credentialOf('demo'), isWatched: true });

    beforeEach(() => {
      used.length = 0;
      unchangedUntilMs = () => performance.now() - 100;
      cache = new CredentialCache(store.find, {
        unchangedUntilMs: (sinceMs) => unchangedUntilMs(sinceMs),
        noteUse: ({ id }) => used.push(id),
      });
    });

    it('asks for one no more for a minute, as long as the watch says that nothing has changed', async () => {
      store.credentials.set('a', known());
      await cache.lookUp('a');
      expect(used).toEqual([]);
      for (let seconds = 1; seconds < 60; seconds++) {
        vi.advanceTimersByTime(1_000);
        expect((await cache.lookUp('a'))?.id).toBe('demo');
      }
      expect(store.queries).toHaveLength(1);
      expect(used).toHaveLength(59);
      store.credentials.delete('a');
      vi.advanceTimersByTime(1_000);
      expect(await cache.lookUp('a')).toBeUndefined();
    });

    it('is asked about the moment at which the store was', async () => {
      store.credentials.set('a', known());
      const askedAtMs = performance.now();
      await cache.lookUp('a');
      const since = vi.fn(unchangedUntilMs);
      unchangedUntilMs = since;
      vi.advanceTimersByTime(700);
      await cache.lookUp('a');
      expect(since.mock.calls).toEqual([[askedAtMs]]);
    });

    it('never answers from what nobody has confirmed for a second', async () => {
      store.credentials.set('a', known());
      await cache.lookUp('a');
      store.credentials.delete('a');
      unchangedUntilMs = () => performance.now() - 1_000;
      vi.advanceTimersByTime(5_000);
      expect(await cache.lookUp('a')).toBeUndefined();
    });

    it('asks as ever where something has changed, or where the watch does not tell', async () => {
      store.credentials.set('a', known());
      store.credentials.set('b', credentialOf('maker'));
      await Promise.all([cache.lookUp('a'), cache.lookUp('b')]);
      store.credentials.clear();
      vi.advanceTimersByTime(1_000);
      expect(await cache.lookUp('b')).toBeUndefined();
      unchangedUntilMs = () => -Infinity;
      expect(await cache.lookUp('a')).toBeUndefined();
    });

    it('forgets at once all the same, and honours the time of expiry', async () => {
      store.credentials.set('a', known());
      store.credentials.set('b', { ...known(), expiresAtMs: START_MS + 5_000 });
      await Promise.all([cache.lookUp('a'), cache.lookUp('b')]);
      store.credentials.clear();
      vi.advanceTimersByTime(3_000);
      expect(await cache.lookUp('b')).toBeDefined();
      vi.advanceTimersByTime(2_000);
      expect(await cache.lookUp('b')).toBeUndefined();
      cache.forgetAllOf('client:demo');
      expect(await cache.lookUp('a')).toBeUndefined();
    });
  });
});
