import { Body, Controller, Get, HttpCode, Injectable, Module, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { SubscribeMessage } from '@nestjs/websockets';
import { IsString } from 'class-validator';
import { io } from 'socket.io-client';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ApiError,
  ApiErrors,
  CurrentPrincipal,
  MetricsRegistry,
  ErrorCode,
  Settings,
  IdPrefix,
  Scope,
  RequireScopes,
  SocketGateway,
  TradepostPlugin,
  WebhookEventType,
  Webhooks,
  readers,
  setting,
  type Principal,
} from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { ADMIN } from '../../../src/kit/security/scope.js';

const WRITE = new Scope('acme-points:write', 'give points');
const NO_POINTS = new ErrorCode('acme_points_too_many', 422, 'more than one may give.');
const POINTS_MAX = setting('ACME_POINTS_MAX', readers.integer(1, 1_000), '10', 'Most points at a time.');
const POINTS_ID = new IdPrefix('pts');
const POINTS_REFUSED = { name: 'acme_points_refused_total', help: 'Points refused.' };
const POINTS_GIVEN = { name: 'acme_points_given_total', help: 'Points given.' };

class PointsDto {
  @ApiProperty({ example: 'alice' })
  @IsString()
  to: string;
}

class GivenPointsDto {
  @ApiProperty({ example: 'pts_00000000007' })
  points_id: string;

  @ApiProperty({ example: 'alice' })
  to: string;
}

const GIVEN = new WebhookEventType<GivenPointsDto>({
  name: 'acme_points.given',
  description: 'Somebody got points.',
  data: GivenPointsDto,
  scope: WRITE,
});

@ApiTags('Points')
@Controller('acme-points')
class PointsController {
  private readonly given;

  constructor(
    private readonly settings: Settings,
    private readonly webhooks: Webhooks,
    private readonly dataSource: DataSource,
    metrics: MetricsRegistry,
  ) {
    this.given = metrics.counter(POINTS_GIVEN);
  }

  @Post()
  @HttpCode(200)
  @RequireScopes({ anyOf: [WRITE] })
  @ApiOperation({ summary: 'Give points' })
  @ApiOkResponse({ type: GivenPointsDto })
  @ApiErrors(NO_POINTS)
  async give(@Body() { to }: PointsDto): Promise<GivenPointsDto> {
    if (to.length > this.settings.get(POINTS_MAX)) throw new ApiError(NO_POINTS, 'Give fewer points.');
    const data = { points_id: POINTS_ID.format(7), to };
    await this.dataSource.transaction((manager) =>
      this.webhooks.publish(manager, { type: GIVEN, data, audience: 'everyone' }),
    );
    this.given.inc();
    return data;
  }

  @Get('mine')
  @RequireScopes({ anyOf: [ADMIN] })
  mine(): object {
    return { points: 0 };
  }
}

@SocketGateway('/acme-points', { anyOf: [WRITE] })
@RequireScopes({ anyOf: [WRITE] })
@Injectable()
class PointsGateway {
  @SubscribeMessage('whoami')
  whoami(@CurrentPrincipal() principal: Principal): object {
    return { id: principal.id };
  }
}

@Injectable()
class RefusalCounter {
  constructor(metrics: MetricsRegistry) {
    metrics.counter(POINTS_REFUSED).inc();
  }
}

@Module({ providers: [RefusalCounter] })
class RefusalsModule {}

@TradepostPlugin({
  name: 'acme-points',
  compatibility: '>=0.1.0',
  imports: [RefusalsModule],
  controllers: [PointsController],
  providers: [PointsGateway],
  scopes: [WRITE],
  errorCodes: [NO_POINTS],
  settings: [POINTS_MAX],
  idPrefixes: [POINTS_ID],
  webhookEvents: [GIVEN],
  metrics: [POINTS_GIVEN, POINTS_REFUSED],
})
class PointsPlugin {}

/* eslint-disable @typescript-eslint/no-explicit-any -- answers are looked at by expectations alone */
describe('what a plugin adds', () => {
  let service: TestApp;
  let receiver: WebhookReceiver;
  let session: string;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    service = await startTestApp({
      plugins: [PointsPlugin],
      environment: { ACME_POINTS_MAX: '5' },
      webhookAllowPrivate: true,
    });
    const login = await fetch(`${service.url}/user/login`, {
      headers: { authorization: `Basic ${btoa('alice:alice-password')}` },
    });
    session = /[\w-]{20,}/.exec(login.headers.get('authorization') ?? (await login.text()))![0];
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });

  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = { authorization: `Bearer ${session}` },
  ): Promise<{ status: number; body: any }> => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  const keyWith = async (scopes: string[]): Promise<string> => {
    const { body } = await call('POST', '/auth/api-keys', { name: 'Points', scopes });
    return body.api_key as string;
  };

  it('has scopes that keys and clients can be granted, and sessions have', async () => {
    expect(await call('POST', '/acme-points', { to: 'alice' })).toEqual({
      status: 200,
      body: { points_id: 'pts_00000000007', to: 'alice' },
    });
    const other = await keyWith(['read:pets']);
    expect(await call('POST', '/acme-points', { to: 'bob' }, { api_key: other })).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
    const key = await keyWith(['acme-points:write']);
    expect(await call('POST', '/acme-points', { to: 'bob' }, { api_key: key })).toMatchObject({
      status: 200,
    });
    const client = await call('POST', '/auth/clients', { name: 'Points', scopes: ['acme-points:write'] });
    const issued = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client.body.client_id,
        client_secret: client.body.client_secret,
        scope: 'acme-points:write',
      }),
    });
    expect(await issued.json()).toMatchObject({ scope: 'acme-points:write' });
    expect(await call('POST', '/auth/api-keys', { name: 'Bad', scopes: ['acme-points:read'] })).toMatchObject(
      {
        status: 400,
        body: { error: { code: 'validation_failed', details: [{ field: 'scopes' }] } },
      },
    );
  });

  it('has error codes with their status, and settings', async () => {
    expect(await call('POST', '/acme-points', { to: 'everybody' })).toMatchObject({
      status: 422,
      body: { error: { code: 'acme_points_too_many', message: 'Give fewer points.' } },
    });
    await expect(
      startTestApp({ plugins: [PointsPlugin], environment: { ACME_POINTS_MAX: 'many' } }),
    ).rejects.toThrow('ACME_POINTS_MAX must be a whole number from 1 to 1000.');
  });

  it('shows all of it in the documents', async () => {
    const { body: document } = await call('GET', '/openapi.json');
    const { securitySchemes, schemas } = document.components;
    expect(securitySchemes.client_credentials.flows.clientCredentials.scopes).toMatchObject({
      'acme-points:write': 'give points',
    });
    expect(schemas.Scope.enum).toContain('acme-points:write');
    expect(schemas.Error.properties.code.enum).toContain('acme_points_too_many');
    const give = document.paths['/acme-points'].post;
    expect(give.operationId).toBe('createAcmePoint');
    expect(give.security).toContainEqual({ api_key: ['acme-points:write'] });
    expect(give.responses[422].description).toBe('`acme_points_too_many`: more than one may give.');
    const event = document.webhooks['acme_points.given'].post.requestBody.content['application/json'];
    expect(event.example.data).toEqual({ points_id: 'pts_00000000007', to: 'alice' });
    const { body: server } = await call('GET', '/.well-known/oauth-authorization-server');
    expect(server.scopes_supported).toContain('acme-points:write');
  });

  it('counts in metrics', async () => {
    const operator = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'admin',
        client_secret: 'admin-secret',
      }),
    });
    const { access_token: token } = (await operator.json()) as { access_token: string };
    const { body } = await call('GET', '/metrics', undefined, { authorization: `Bearer ${token}` });
    expect(body).toMatch(/^tradepost_acme_points_given_total [1-9]/m);
    expect(body).toMatch(/^tradepost_acme_points_refused_total 1$/m);
  });

  it('announces events to webhooks', async () => {
    const hook = { url: receiver.url('/points'), event_types: ['acme_points.given'] };
    const other = await keyWith(['news:webhooks']);
    expect(await call('POST', '/news/webhooks', hook, { api_key: other })).toMatchObject({ status: 403 });
    expect(await call('POST', '/news/webhooks', hook)).toMatchObject({ status: 201 });
    expect(await call('POST', '/acme-points', { to: 'carol' })).toMatchObject({ status: 200 });
    await expect
      .poll(() => receiver.at('/points').map(({ event }) => event), { timeout: 30_000 })
      .toContainEqual(
        expect.objectContaining({
          type: 'acme_points.given',
          data: { points_id: 'pts_00000000007', to: 'carol' },
        }),
      );
  });

  it('has a namespace of sockets, to which only its scope admits', async () => {
    const key = await keyWith(['acme-points:write']);
    const other = await keyWith(['read:pets']);
    const connected = (api_key: string | undefined): Promise<string> =>
      new Promise((resolve) => {
        const socket = io(`${service.url}/acme-points`, {
          auth: { api_key },
          transports: ['websocket'],
          forceNew: true,
          reconnection: false,
        });
        const end = (answer: string): void => {
          socket.close();
          resolve(answer);
        };
        socket.on('connect_error', (error: any) => end(error.data.error.code as string));
        socket.on('connect', () => socket.emit('whoami', {}, (answer: any) => end(answer.data.id as string)));
      });
    expect(await connected(key)).toMatch(/^key_/);
    expect(await connected(other)).toBe('insufficient_scope');
    expect(await connected(undefined)).toBe('authentication_required');
  });
});
