import { Body, Controller, Get, Injectable, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsString } from 'class-validator';
import {
  Column,
  Entity,
  type MigrationInterface,
  PrimaryGeneratedColumn,
  type QueryRunner,
  Repository,
} from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FeePolicy,
  Public,
  RequireScopes,
  RiskCheck,
  TradepostPlugin,
  type FeeRateOverride,
  type ProposedOrder,
  type RiskVerdict,
} from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { MARKETS_TRADE } from '../../../src/modules/markets/names/scopes.js';

@Entity('acme_notes')
class NoteEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'text' })
  text: string;
}

class CreateAcmeNotes1790000000000 implements MigrationInterface {
  name = 'CreateAcmeNotes1790000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE acme_notes (id serial PRIMARY KEY, text text NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_notes');
  }
}

class NoteDto {
  @IsString()
  text: string;
}

@Controller('acme/notes')
class NotesController {
  constructor(@InjectRepository(NoteEntity) private readonly notes: Repository<NoteEntity>) {}

  @Post()
  @RequireScopes({ anyOf: [MARKETS_TRADE] })
  create(@Body() { text }: NoteDto): Promise<NoteEntity> {
    return this.notes.save({ text });
  }

  @Get()
  @Public()
  list(): Promise<NoteEntity[]> {
    return this.notes.find();
  }
}

/** Proves that a bound class lives among its plugin's own providers. */
@Injectable()
class AcmeTariff {
  readonly taker = '0.01';
}

@Injectable()
class AcmeFees extends FeePolicy {
  constructor(private readonly tariff: AcmeTariff) {
    super();
  }

  /** A deliberate mistake for orders of half a coin: rates must be below one. */
  override ratesFor({ sizeLots }: ProposedOrder): FeeRateOverride {
    return { maker: '0', taker: sizeLots === 5 * 10 ** 7 ? '1' : this.tariff.taker };
  }
}

class NothingBig extends RiskCheck {
  override review(order: ProposedOrder): RiskVerdict {
    return order.sizeLots <= 10 ** 8
      ? { accepted: true }
      : { accepted: false, message: 'Ask the desk for more than one.' };
  }
}

@TradepostPlugin({
  name: 'acme',
  compatibility: '>=0.1.0',
  controllers: [NotesController],
  providers: [AcmeTariff],
  entities: [NoteEntity],
  migrations: [CreateAcmeNotes1790000000000],
  checks: [NothingBig],
  feePolicies: [AcmeFees],
})
class AcmePlugin {}

describe('a plugin', () => {
  let service: TestApp;
  let token: string;
  beforeAll(async () => {
    service = await startTestApp({ plugins: [AcmePlugin] });
    const issued = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'demo',
        client_secret: 'demo-secret',
      }),
    });
    token = ((await issued.json()) as { access_token: string }).access_token;
  });
  afterAll(() => service.close());

  const post = async (
    path: string,
    body: object,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const order = (side: string, size: string, extra: object = {}): object => ({
    market_id: 'BTC-USD',
    side,
    type: 'limit',
    price: '100',
    size,
    ...extra,
  });

  it('adds routes, tables and rows under the rules of the house', async () => {
    expect(await post('/acme/notes', { text: 'hello' })).toMatchObject({
      status: 201,
      body: { text: 'hello' },
    });
    expect(await post('/acme/notes', { text: 1 })).toMatchObject({
      body: { error: { code: 'validation_failed' } },
    });
    expect(await (await fetch(`${service.url}/acme/notes`)).json()).toEqual([{ id: 1, text: 'hello' }]);
    expect((await fetch(`${service.url}/acme/notes`, { method: 'POST' })).status).toBe(401);
  });

  it('decides fees and risk in place of the defaults', async () => {
    expect(await post('/orders', order('sell', '2'))).toMatchObject({
      status: 422,
      body: { error: { code: 'risk_refused', message: 'Ask the desk for more than one.' } },
    });
    const maker = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'maker',
        client_secret: 'maker-secret',
      }),
    });
    const demoToken = token;
    token = ((await maker.json()) as { access_token: string }).access_token;
    expect(await post('/orders', order('sell', '1'))).toMatchObject({ status: 201 });
    token = demoToken;
    const taken = await post('/orders', order('buy', '1'));
    expect(taken).toMatchObject({ status: 201, body: { status: 'filled', fees: '1' } });
  });

  it('cannot charge rates outside the rules of the engine', async () => {
    expect(await post('/orders', order('buy', '0.5'))).toMatchObject({
      status: 500,
      body: { error: { code: 'internal_error' } },
    });
  });
});
