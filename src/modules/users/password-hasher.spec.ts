import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../kit/config/config.js';
import { type Caller, handleFor } from '../../kit/turns/owner.js';
import { PasswordHasher } from './password-hasher.js';

const person = (name: string): Caller => ({ user: { accountOwner: name } });

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
    expect(refused).toHaveLength(5);
    expect(refused[0]?.reason).toMatchObject({ code: 'rate_limited', retryAfterS: 1 });
    await expect(hasher.hash('x')).resolves.toMatch(/^\$argon2id/);
  });

  it.each<[string, (i: number) => Caller]>([
    ['80 step-ups of one person', () => person('user:1')],
    ['80 networks of one /32', (i) => ({ ip: `2001:db8:${(i >> 4).toString(16)}:${i}::1` })],
    ['80 addresses of one /24', (i) => ({ ip: `198.51.100.${i}` })],
    ['2000 networks of one /32', (i) => ({ ip: `2001:db8:${i.toString(16)}::1` })],
  ])('%s do not lock out log-ins of others', async (who, callerOf) => {
    const hasher = new PasswordHasher(loadConfig({ PASSWORD_MEMORY_KIB: '8' }));
    const phc = await hasher.hash('right');
    let done = 0;
    const all = Promise.allSettled(
      Array.from({ length: parseInt(who, 10) }, (_, i) =>
        handleFor(callerOf(i), () => hasher.verify(phc, 'wrong').then(() => done++)),
      ),
    );
    expect(await handleFor({ ip: '203.0.113.7' }, () => hasher.verify(phc, 'right'))).toBe(true);
    expect(done).toBeLessThan(10);
    await all;
  });
});
