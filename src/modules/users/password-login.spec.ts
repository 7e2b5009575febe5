import { beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../kit/config/config.js';
import { BUDGETS, RateLimits } from '../../kit/rate-limit/rate-limits.js';
import type { Principal } from '../../kit/security/principal.js';
import { handleFor } from '../../kit/turns/owner.js';
import type { AuditLog } from '../../kit/audit/audit-log.js';
import { PasswordHasher } from './password-hasher.js';
import { FamiliarPlaces } from './familiar-places.js';
import { PasswordLogin } from './password-login.js';
import { UserStatus, type UserEntity } from './user.entity.js';
import type { UsersService } from './users.service.js';

const FAILURES_MAX = BUDGETS.credential_failures.points;
const WRONG = { code: 'invalid_credentials', status: 401 };
const SLOWED = { code: 'rate_limited', status: 429 };

describe('PasswordLogin', () => {
  const hasher = new PasswordHasher(loadConfig({}));
  let users: Map<string, Partial<UserEntity>>;
  let limits: RateLimits;
  let login: PasswordLogin;

  beforeEach(async () => {
    vi.restoreAllMocks();
    users = new Map([
      ['alice', { username: 'alice', passwordHash: await hasher.hash('right'), userStatus: 0 }],
    ]);
    limits = new RateLimits(loadConfig({ RATE_LIMITS: 'on' }));
    const service = {
      findByUsername: (name: string) => Promise.resolve(users.get(name.toLowerCase()) ?? null),
      openAccount: () => Promise.resolve(),
    } as Partial<UsersService> as UsersService;
    const audit = { recordAlone: () => Promise.resolve() } as Partial<AuditLog> as AuditLog;
    login = new PasswordLogin(service, hasher, limits, audit, new FamiliarPlaces());
    login.onModuleInit();
  });

  it('lets in who knows the password, and whose composed letters came decomposed', async () => {
    await expect(login.verify('Alice', 'right', 'a')).resolves.toMatchObject({ username: 'alice' });
    users.get('alice')!.passwordHash = await hasher.hash('caf\u00e9');
    await expect(login.verify('alice', 'cafe\u0301', 'a')).resolves.toMatchObject({ username: 'alice' });
  });

  it.each<[string, string, Partial<UserEntity> | undefined]>([
    ['a wrong password', 'wrong', {}],
    ['an unknown user', 'right', undefined],
    ['a locked user by a wrong password', 'wrong', { userStatus: UserStatus.locked }],
    ['a closed user', 'right', { userStatus: UserStatus.closed }],
    ['a user without password', 'right', { passwordHash: null }],
  ])('refuses %s alike, and works as hard', async (_who, password, change) => {
    if (change === undefined) users.clear();
    else Object.assign(users.get('alice')!, change);
    const verify = vi.spyOn(hasher, 'verify');
    await expect(login.verify('alice', password, 'a')).rejects.toMatchObject(WRONG);
    expect(verify).toHaveBeenCalledOnce();
    expect(verify.mock.calls[0]?.[0]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('tells of a lock to who has the right password', async () => {
    Object.assign(users.get('alice')!, { userStatus: UserStatus.locked });
    await expect(login.verify('alice', 'right', 'a')).rejects.toMatchObject({
      code: 'user_locked',
      status: 403,
    });
  });

  it('tries no more guesses than the budget has, though they come all at once', async () => {
    const verify = vi.spyOn(hasher, 'verify');
    const guesses = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) => login.verify('alice', `guess ${i}`, 'a')),
    );
    const codes = guesses.map((guess) => ((guess as PromiseRejectedResult).reason as { code: string }).code);
    expect(codes.filter((code) => code === WRONG.code)).toHaveLength(FAILURES_MAX);
    expect(codes.filter((code) => code === SLOWED.code)).toHaveLength(60 - FAILURES_MAX);
    expect(verify).toHaveBeenCalledTimes(FAILURES_MAX);
    await expect(login.verify('alice', 'right', 'a')).rejects.toMatchObject(SLOWED);
    await expect(login.verify('alice', 'right', 'b')).resolves.toBeDefined();
  });

  it('lets any number of right log-ins in, one after another', async () => {
    const all = Array.from({ length: 30 }, () => login.verify('alice', 'right', 'a'));
    await expect(Promise.all(all)).resolves.toHaveLength(30);
  });

  it('turns away more of one address than it can keep waiting', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 67 }, () => login.verify('alice', 'right', 'a')),
    );
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  });

  it('lets who logged in there before wait for no stranger, from however many networks these come', async () => {
    const at = (ip: string, name: string, password: string): Promise<unknown> =>
      handleFor({ ip }, () => login.verify(name, password, ip));
    await at('203.0.113.7', 'alice', 'right');
    let done = 0;
    const strangers = Array.from({ length: 400 }, (_, i) =>
      at(`10.${i >> 8}.${i & 255}.1`, 'bob', 'wrong').catch(() => done++),
    );
    await expect(at('203.0.113.7', 'alice', 'right')).resolves.toMatchObject({ username: 'alice' });
    expect(done).toBeLessThan(40);
    await Promise.all(strangers);
  });

  it('lets 80 step-ups of one person hold up no log-in at the same address', async () => {
    const person = { user: { accountOwner: 'user:7' } as Principal, ip: '203.0.113.7' };
    let done = 0;
    const stepUps = Promise.allSettled(
      Array.from({ length: 80 }, () =>
        handleFor(person, () => login.verify('alice', 'right', 'office')).then(() => done++),
      ),
    );
    const beside = handleFor({ ip: '203.0.113.7' }, () => login.verify('alice', 'right', 'office'));
    await expect(beside).resolves.toBeDefined();
    expect(done).toBeLessThan(10);
    await stepUps;
  });

  it('slows an address down that guesses for many users', async () => {
    vi.spyOn(hasher, 'verify').mockResolvedValue(false);
    const { points } = BUDGETS.address_login_failures;
    for (let i = 0; i < points; i++) {
      await expect(login.verify(`user-${i}`, 'x', 'a')).rejects.toMatchObject(WRONG);
    }
    await expect(login.verify('user-new', 'x', 'a')).rejects.toMatchObject(SLOWED);
    await expect(login.verify('user-new', 'x', 'b')).rejects.toMatchObject(WRONG);
  });

  it('slows guesses for a user from everywhere, but not who logged in there before', async () => {
    await login.verify('alice', 'right', 'home');
    vi.spyOn(hasher, 'verify').mockResolvedValue(false);
    const { points } = BUDGETS.user_login_failures;
    for (let i = 0; i < points; i++) {
      await expect(login.verify('alice', 'x', `bot-${i}`)).rejects.toMatchObject(WRONG);
    }
    vi.restoreAllMocks();
    await expect(login.verify('alice', 'right', 'elsewhere')).rejects.toMatchObject(SLOWED);
    await expect(login.verify('alice', 'right', 'home')).resolves.toBeDefined();
  });
});
