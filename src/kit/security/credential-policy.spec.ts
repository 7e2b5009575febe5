import { Controller, Get, Module, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { insufficientScope, invalidToken } from './challenges.js';
import { Authenticated, Public, RequireScopes, credentialPolicyOf } from './credential-policy.js';
import { grants, ADMIN } from './scope.js';
import { SecurityModule } from './security.module.js';
import { ACCOUNT_READ } from '../../modules/accounts/scopes.js';
import { READ_PETS, WRITE_PETS } from '../../modules/pets/scopes.js';

async function start(controller: Type): Promise<void> {
  @Module({ imports: [SecurityModule], controllers: [controller] })
  class ProbeModule {}
  const app = await NestFactory.create(ProbeModule, { logger: false, abortOnError: false });
  try {
    await app.init();
  } finally {
    await app.close();
  }
}

describe('declared credentials', () => {
  @Controller('declared')
  @RequireScopes({ anyOf: [ACCOUNT_READ] })
  class DeclaredController {
    @Get()
    inherited(): void {}

    @Get('open')
    @Public()
    open(): void {}

    @Post()
    @Authenticated()
    anyone(): void {}

    helper(): void {}
  }

  it('are the handler’s own, else its class’s', () => {
    const policyOf = (name: keyof DeclaredController) =>
      credentialPolicyOf(DeclaredController, DeclaredController.prototype[name]);
    expect(policyOf('inherited')).toEqual({
      access: 'scopes',
      requirement: { anyOf: [ACCOUNT_READ] },
      orAnyApiKey: false,
    });
    expect(policyOf('open')).toEqual({ access: 'public', identify: false, basic: undefined });
    expect(policyOf('anyone')).toEqual({
      access: 'authenticated',
      callers: 'anyone',
      apiKeyScope: undefined,
    });
  });

  it('are kept apart for controllers that share a handler', () => {
    class Base {
      @Get()
      shared(): void {}
    }
    @Public()
    class Open extends Base {}
    @Authenticated()
    class Closed extends Base {}
    expect(credentialPolicyOf(Open, Base.prototype.shared)).toMatchObject({ access: 'public' });
    expect(credentialPolicyOf(Closed, Base.prototype.shared)).toMatchObject({ access: 'authenticated' });
    expect(credentialPolicyOf(Base, Base.prototype.shared)).toBeUndefined();
  });

  it('let the service start when every route has them', async () => {
    await start(DeclaredController);
  });

  it('keep the service from starting while a route has none, and name it', async () => {
    @Controller('forgotten')
    class ForgetfulController {
      @Get('fine')
      @Public()
      fine(): void {}

      @Post('bare')
      bare(): void {}
    }
    await expect(start(ForgetfulController)).rejects.toThrow(/: POST ForgetfulController\.bare\.$/);
  });
});

describe('scopes', () => {
  it('are needed all, or any', () => {
    const scopes = new Set(['read:pets']);
    expect(grants(scopes, { anyOf: [READ_PETS, WRITE_PETS] })).toBe(true);
    expect(grants(scopes, { allOf: [READ_PETS, WRITE_PETS] })).toBe(false);
    expect(grants(new Set(), { anyOf: [ADMIN] })).toBe(false);
  });
});

describe('challenges', () => {
  it('follow RFC 6750', () => {
    expect(invalidToken()).toMatchObject({
      status: 401,
      headers: {
        'WWW-Authenticate': expect.stringMatching(
          /^Bearer realm="tradepost", error="invalid_token"/,
        ) as string,
      },
    });
    expect(insufficientScope({ allOf: [READ_PETS, WRITE_PETS] })).toMatchObject({
      status: 403,
      headers: {
        'WWW-Authenticate':
          'Bearer realm="tradepost", error="insufficient_scope", scope="read:pets write:pets"',
      },
    });
  });
});
