import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../platform/config/config.js';
import { PasswordHasher } from './password-hasher.js';

describe('PasswordHasher', () => {
  it('makes argon2id hashes that only the same secret fits, each with its own salt', async () => {
    const hasher = new PasswordHasher(loadConfig({}));
    const [one, other] = await Promise.all([hasher.hash('correct horse'), hasher.hash('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
    expect(await hasher.verify(one, 'correct horse')).toBe(true);
    expect(await hasher.verify(one, 'Correct horse')).toBe(false);
  });

  it('works on few at once, lets a bounded number wait, and turns the rest away', async () => {
    const hasher = new PasswordHasher(loadConfig({}));
    const results = await Promise.allSettled(Array.from({ length: 70 }, () => hasher.hash('x')));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(4);
    expect(refused[0]?.reason).toMatchObject({ code: 'rate_limited', headers: { 'Retry-After': '1' } });
    await expect(hasher.hash('x')).resolves.toMatch(/^\$argon2id/);
  });
});
