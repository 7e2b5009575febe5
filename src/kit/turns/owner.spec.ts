import { describe, expect, it } from 'vitest';
import type { Principal } from '../security/principal.js';
import { handleFor, ownerOf, ownerOfPrincipal, presentOwner } from './owner.js';

const principal = (key: string, accountOwner: string, registrationRoot?: string): Principal => ({
  kind: 'user',
  key,
  id: key,
  accountOwner,
  accountId: 1,
  scopes: new Set(),
  ...(registrationRoot !== undefined && { registrationRoot }),
});

describe('the owner', () => {
  it('is one for the users, keys and accounts that one person made', () => {
    const person = ownerOfPrincipal(principal('user:1', 'user:1'));
    expect(ownerOfPrincipal(principal('api_key:9', 'user:1'))).toEqual(person);
    expect(ownerOfPrincipal(principal('user:7', 'user:7', 'user:1'))).toEqual(person);
    expect(ownerOfPrincipal(principal('user:8', 'user:8'))).not.toEqual(person);
  });

  it('is the network of strangers, who share the turns of one', () => {
    expect(ownerOf({ ip: '192.0.2.7' })).toEqual(['strangers', '192.0.2.0/24', '192.0.2.7']);
    expect(ownerOf({ ip: '::ffff:192.0.2.7' })).toEqual(ownerOf({ ip: '192.0.2.7' }));
    expect(ownerOf({ ip: '2001:db8:1:2:3::4' })).toEqual([
      'strangers',
      '2001:db8::/32',
      '2001:db8:1::/48',
      '2001:db8:1:2::/64',
    ]);
    expect(ownerOf({})).toEqual(['strangers', '']);
  });

  it('is found however deep, as soon as the credential is known, and is the service in background work', async () => {
    const caller: { ip: string; user?: Principal } = { ip: '192.0.2.7' };
    await handleFor(caller, async () => {
      await new Promise(setImmediate);
      expect(presentOwner()).toEqual(['strangers', '192.0.2.0/24', '192.0.2.7']);
      caller.user = principal('user:1', 'user:1');
      expect(presentOwner()).toEqual(['user:1']);
    });
    expect(presentOwner()).toEqual(['service']);
  });
});
