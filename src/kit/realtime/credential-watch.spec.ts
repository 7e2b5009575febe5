import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiError } from '../http/errors.js';
import { Authenticator, type HeldCredential } from '../security/authenticator.js';
import type { Principal } from '../security/principal.js';
import { CredentialWatch } from './credential-watch.js';
import { CHAT_READ } from '../../modules/chat/scopes.js';

const CREDENTIAL: HeldCredential = { scheme: 'bearer', digest: 'a' };
const REQUIREMENT = { anyOf: [CHAT_READ] } as const;

function principalWith(...scopes: string[]): Principal {
  return {
    kind: 'client',
    key: 'client:demo',
    id: 'demo',
    accountOwner: 'client:demo',
    accountId: 1,
    scopes: new Set(scopes),
  };
}

/** Returns what the test sets, and counts the queries. */
class KnownCredentials extends Authenticator {
  readonly principals = new Map<string, Principal>();
  isAway = false;
  asked = 0;
  announceChange: () => void = () => undefined;

  override authenticateBearer(): never {
    throw new Error('nobody presents anything here');
  }
  override authenticateApiKey(): never {
    throw new Error('nobody presents anything here');
  }
  override authenticateSigned(): never {
    throw new Error('nobody presents anything here');
  }
  override knowsSigner(): never {
    throw new Error('nobody presents anything here');
  }
  override hold(): never {
    throw new Error('nobody presents anything here');
  }
  override knows(): never {
    throw new Error('nobody presents anything here');
  }
  override knowsTicket(): never {
    throw new Error('nobody presents anything here');
  }
  override onChanged(listener: () => void): void {
    this.announceChange = listener;
  }
  override credentialOfTicket(): never {
    throw new Error('nobody presents anything here');
  }
  override principalOf({ digest }: HeldCredential): Promise<Principal | undefined> {
    this.asked++;
    return this.isAway
      ? Promise.reject(new Error('database away'))
      : Promise.resolve(this.principals.get(digest));
  }
}

describe('CredentialWatch', () => {
  let known: KnownCredentials;
  let watch: CredentialWatch;
  let refusals: ApiError[];

  beforeEach(() => {
    vi.useFakeTimers();
    known = new KnownCredentials();
    known.principals.set('a', principalWith('chat:read'));
    watch = new CredentialWatch(known);
    refusals = [];
  });
  afterEach(() => {
    watch.onModuleDestroy();
    vi.useRealTimers();
  });

  function follow(credential = CREDENTIAL): () => void {
    return watch.watch(credential, {
      requirement: REQUIREMENT,
      onRefused: (error) => refusals.push(error),
    });
  }

  it('asks twice a second for each credential, however many connections it opened', async () => {
    for (let i = 0; i < 2_000; i++) follow();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(known.asked).toBe(6);
    expect(refusals).toEqual([]);
  });

  it('refuses every connection of a credential that is gone, and no other', async () => {
    known.principals.set('b', principalWith('chat:read'));
    follow();
    follow();
    follow({ scheme: 'api_key', digest: 'b' });
    known.principals.delete('a');
    await vi.advanceTimersByTimeAsync(500);
    expect(refusals).toMatchObject([{ code: 'invalid_token' }, { code: 'invalid_token' }]);
    known.principals.delete('b');
    await vi.advanceTimersByTimeAsync(500);
    expect(refusals.at(-1)).toMatchObject({ code: 'invalid_api_key' });
  });

  it('refuses what has lost the scope, and tells of scopes that changed', async () => {
    const scopes: string[][] = [];
    watch.watch(CREDENTIAL, {
      requirement: REQUIREMENT,
      onPrincipal: (principal) => scopes.push([...principal.scopes]),
      onRefused: (error) => refusals.push(error),
    });
    known.principals.set('a', principalWith('chat:read', 'chat:write'));
    await vi.advanceTimersByTimeAsync(500);
    expect(scopes).toEqual([['chat:read', 'chat:write']]);
    known.principals.set('a', principalWith('chat:write'));
    await vi.advanceTimersByTimeAsync(500);
    expect(refusals).toMatchObject([{ code: 'insufficient_scope' }]);
  });

  it('ends nothing while nobody can say whether a credential is good', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    known.principals.set('b', principalWith('chat:read'));
    follow();
    follow({ scheme: 'api_key', digest: 'b' });
    known.isAway = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(refusals).toEqual([]);
    // One line for each look, whatever number of credentials there are.
    expect(warn).toHaveBeenCalledTimes(10);
    warn.mockRestore();
    known.isAway = false;
    known.principals.delete('a');
    await vi.advanceTimersByTimeAsync(500);
    expect(refusals).toHaveLength(1);
  });

  it('looks at once where it is told that something was revoked', async () => {
    follow();
    known.principals.delete('a');
    for (let i = 0; i < 10; i++) known.announceChange();
    await vi.advanceTimersByTimeAsync(50);
    expect(refusals).toMatchObject([{ code: 'invalid_token' }]);
    expect(known.asked).toBe(1);
  });

  it('forgets what is watched no longer', async () => {
    const stops = [follow(), follow()];
    for (const stop of stops) stop();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(known.asked).toBe(0);
  });
});
