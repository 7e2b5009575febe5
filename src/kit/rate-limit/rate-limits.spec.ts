import { Controller, Get, Module, Post } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../config/config.js';
import { partsOfKit } from '../../../test/support/parts-of-kit.js';
import { ConfigModule } from '../config/config.module.js';
import { createPino } from '../logging/logger.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { configureHttp } from '../server/configure-http.js';
import { HttpModule } from '../server/http.module.js';
import { RateLimitGuard, RateLimitedAs } from './rate-limit.guard.js';
import { BUDGETS, RateLimits } from './rate-limits.js';

const limitsOf = (setting: 'on' | 'off'): RateLimits => new RateLimits(loadConfig({ RATE_LIMITS: setting }));
const from = (ip: string): Request => ({ ip }) as Request;

describe('RateLimits', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('gives each caller its own budget, and a new one with each window', async () => {
    const limits = limitsOf('on');
    const { points } = BUDGETS.credential_failures;
    for (let left = points - 1; left >= 0; left--) {
      expect(await limits.consume('credential_failures', 'a')).toEqual({ remaining: left, resetS: 60 });
    }
    await expect(limits.consume('credential_failures', 'a')).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      headers: {
        'Retry-After': '60',
        RateLimit: '"credential_failures";r=0;t=60',
        'RateLimit-Policy': '"credential_failures";q=10;w=60',
      },
    });
    expect((await limits.consume('credential_failures', 'b')).remaining).toBe(points - 1);
    vi.advanceTimersByTime(60_001);
    expect((await limits.consume('credential_failures', 'a')).remaining).toBe(points - 1);
  });

  it('can be asked without taking anything', async () => {
    const limits = limitsOf('on');
    await limits.requireBudget('credential_failures', 'a');
    for (let i = 0; i < BUDGETS.credential_failures.points; i++) {
      await limits.requireBudget('credential_failures', 'a');
      await limits.consume('credential_failures', 'a');
    }
    await expect(limits.requireBudget('credential_failures', 'a')).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  it('gives users whom somebody made the budget of their maker, and nobody else', () => {
    const limits = limitsOf('on');
    const callerOf = (accountOwner: string, registrationRoot?: string): string =>
      limits.callerOf({ user: { accountOwner, ...(registrationRoot && { registrationRoot }) } } as Request);
    expect(callerOf('user:2', 'user:1')).toBe(callerOf('user:1'));
    expect(callerOf('user:3', 'user:1')).toBe(callerOf('user:1'));
    expect(callerOf('user:4')).not.toBe(callerOf('user:1'));
  });

  it('never refuses when switched off', async () => {
    const limits = limitsOf('off');
    for (let i = 0; i < 50; i++) await limits.consume('credential_failures', 'a');
    await limits.requireBudget('credential_failures', 'a');
  });

  it('puts any number of addresses into a bounded number of buckets', () => {
    const limits = limitsOf('on');
    const buckets = new Set<string>();
    for (let i = 0; i < 100_000; i++)
      buckets.add(limits.addressBucketOf(from(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)));
    expect(buckets.size).toBeLessThanOrEqual(65_536);
    expect(buckets.size).toBeGreaterThan(10_000);
  });

  it('counts a /64 of IPv6 as one caller', () => {
    const limits = limitsOf('on');
    const bucket = limits.addressBucketOf(from('2001:db8:1:2::1'));
    expect(limits.addressBucketOf(from('2001:db8:1:2:ffff::9'))).toBe(bucket);
    expect(limits.addressBucketOf(from('2001:db8:1:3::1'))).not.toBe(bucket);
  });

  it('counts an IPv6 address as one caller however it is written', () => {
    const limits = limitsOf('on');
    const bucket = limits.addressBucketOf(from('2001:db8::1'));
    expect(limits.addressBucketOf(from('2001:db8:0:0:5:6:7:8'))).toBe(bucket);
    expect(limits.addressBucketOf(from('::ffff:192.0.2.1'))).toBe(limits.addressBucketOf(from('192.0.2.1')));
  });
});

@Controller()
class ProbeController {
  @Get('reads')
  read(): object {
    return {};
  }

  @Post('writes')
  write(): object {
    return {};
  }

  @Post('orders')
  @RateLimitedAs('orders')
  order(): object {
    return {};
  }
}

const config = loadConfig({ PORT: '0' });

@Module({
  imports: [partsOfKit(ConfigModule.forRoot(config), MetricsModule, HttpModule)],
  controllers: [ProbeController],
  providers: [{ provide: APP_GUARD, useExisting: RateLimitGuard }],
})
class ProbeModule {}

describe('RateLimitGuard', () => {
  it('tells each answer of its budget, and answers 429 when it is spent', async () => {
    const app = await NestFactory.create<NestExpressApplication>(ProbeModule, {
      logger: false,
      bodyParser: false,
      abortOnError: false,
    });
    configureHttp(app, config, createPino('silent'));
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    try {
      const policyOf = async (path: string, method: string): Promise<string | null> =>
        (await fetch(`${url}/${path}`, { method })).headers.get('ratelimit-policy');
      expect(await policyOf('reads', 'GET')).toBe('"reads";q=2000;w=1');
      expect(await policyOf('reads', 'HEAD')).toBe('"reads";q=2000;w=1');
      expect(await policyOf('writes', 'POST')).toBe('"writes";q=2000;w=1');
      expect(await policyOf('orders', 'POST')).toBe('"orders";q=2000;w=1');

      const limits = app.get(RateLimits);
      const caller = limits.callerOf(from('127.0.0.1'));
      for (let i = 0; i < BUDGETS.orders.points; i++)
        await limits.consume('orders', caller).catch(() => undefined);
      const refused = await fetch(`${url}/orders`, { method: 'POST' });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(refused.headers.get('ratelimit')).toBe('"orders";r=0;t=1');
      expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } });
      expect((await fetch(`${url}/reads`)).status).toBe(200);
    } finally {
      await app.close();
    }
  });
});
