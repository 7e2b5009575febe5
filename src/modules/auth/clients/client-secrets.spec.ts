import { describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../kit/config/config.js';
import { PasswordHasher } from '../../users/password-hasher.js';
import { digestOf, newSecret } from '../secrets/secrets.js';
import { ClientSecrets } from './client-secrets.js';

describe('ClientSecrets', () => {
  it('verifies a secret that was made here by its digest', async () => {
    const secrets = new ClientSecrets(new PasswordHasher(loadConfig({})));
    const secret = newSecret('tps');
    expect(secret).toMatch(/^tps_[\w-]{43}$/);
    expect(await secrets.verify(digestOf(secret), secret)).toBe(true);
    expect(await secrets.verify(digestOf(secret), newSecret('tps'))).toBe(false);
  });

  it('pays for argon2 once for a chosen secret that is right, and each time for one that is wrong', async () => {
    const hasher = new PasswordHasher(loadConfig({}));
    const verify = vi.spyOn(hasher, 'verify');
    const secrets = new ClientSecrets(hasher);
    const stored = await secrets.hashChosen('demo-secret');
    for (let i = 0; i < 3; i++) expect(await secrets.verify(stored, 'demo-secret')).toBe(true);
    expect(verify).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 2; i++) expect(await secrets.verify(stored, 'demo-secreT')).toBe(false);
    expect(verify).toHaveBeenCalledTimes(3);
  });

  it('does not take the old secret once it was changed', async () => {
    const secrets = new ClientSecrets(new PasswordHasher(loadConfig({})));
    await secrets.verify(await secrets.hashChosen('old'), 'old');
    expect(await secrets.verify(await secrets.hashChosen('new'), 'old')).toBe(false);
  });
});
