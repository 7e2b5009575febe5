import { UNPROCESSABLE } from '../../../src/kit/http/error-codes.js';
import { Body, Controller, Injectable, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsInt, IsString } from 'class-validator';
import type { Response } from 'express';
import { Column, type EntityManager, Entity, PrimaryColumn } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerProposable,
  ApiError,
  ApiProposed,
  approvalIdOf,
  type ApprovalKind,
  type ApprovalOf,
  Approvals,
  ApprovalType,
  Audited,
  CurrentPrincipal,
  type PluginDeclaration,
  type Principal,
  RequireScopes,
  TradepostPlugin,
} from '../../../src/index.js';
import { ADMIN } from '../../../src/kit/security/scope.js';
import { queryOnce } from '../../support/core.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import {
  approve,
  expectStatus,
  type House,
  OPERATORS,
  proposed,
  startHouse,
} from '../admin/approvals-client.js';
import { logIn } from '../../support/clients/users-client.js';
import { startTestApp } from '../../support/app.js';

interface Grant {
  readonly to: string;
  readonly points: number;
}

const GRANT = new ApprovalType<Grant>('acme_loyalty_grant');
const POINTS_MAX = 100;

class GrantDto {
  @ApiProperty()
  @IsString()
  to: string;

  @ApiProperty()
  @IsInt()
  points: number;
}

@Entity('acme_loyalty_points')
class PointsEntity {
  @PrimaryColumn({ type: 'text' })
  username: string;

  @Column({ type: 'integer' })
  points: number;
}

class CreateAcmeLoyaltyPoints1790000000300 {
  up = async (runner: EntityManager): Promise<void> => {
    await runner.query(
      'CREATE TABLE acme_loyalty_points (username text PRIMARY KEY, points integer NOT NULL)',
    );
  };
  down = async (): Promise<void> => {};
}

@Injectable()
class Grants {
  readonly told: string[] = [];
  readonly kind: ApprovalKind<Grant> = {
    approved: (approval, manager) => this.give(approval, manager),
    carryOut: async (approval) => void this.told.push(approvalIdOf(approval)),
    rejected: async (approval) => void this.told.push(`not ${approvalIdOf(approval)}`),
  };

  constructor(private readonly approvals: Approvals) {}

  propose(principal: Principal, { to, points }: Grant) {
    return this.approvals.propose(
      { principal, key: undefined },
      {
        kind: GRANT,
        subject: { type: 'user', id: to },
        owner: null,
        slot: `acme_loyalty_grant:${to}`,
        summary: `Give ${to} ${points} points.`,
        payload: { to, points },
      },
    );
  }

  private async give({ payload }: ApprovalOf<Grant>, manager: EntityManager): Promise<void> {
    if (payload.points > POINTS_MAX) throw new ApiError(UNPROCESSABLE, 'Give fewer points.');
    await manager.insert(PointsEntity, { username: payload.to, points: payload.points });
  }
}

@ApiTags('acme-loyalty')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('acme-loyalty/grants')
class GrantsController {
  constructor(private readonly grants: Grants) {}

  @Post()
  @Audited()
  @ApiOperation({ summary: 'Propose a grant' })
  @ApiCreatedResponse()
  @ApiProposed()
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() grant: GrantDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return answerProposable(response, await this.grants.propose(principal, grant));
  }
}

@TradepostPlugin({
  name: 'acme-loyalty',
  compatibility: '>=0.1.0',
  entities: [PointsEntity],
  migrations: [CreateAcmeLoyaltyPoints1790000000300] as unknown as PluginDeclaration['migrations'],
  controllers: [GrantsController],
  providers: [Grants],
  approvals: [GRANT.carriedOutBy(Grants, ({ kind }) => kind)],
})
class LoyaltyPlugin {}

/** Stands for whatever else is loaded; the answers of a service with plugins may have values that openapi.json lacks. */
@TradepostPlugin({ name: 'acme-other', compatibility: '>=0.1.0' })
class OtherPlugin {}

describe('an act of a plugin that takes two persons', () => {
  let database: TestDatabase;
  let house: House;
  beforeAll(async () => {
    database = await createTestDatabase();
    house = await startHouse(undefined, { databaseUrl: database.url, plugins: [LoyaltyPlugin] });
  });
  afterAll(async () => {
    await house.app.close();
    await database.drop();
  });

  const propose = (to: string, points = 10) =>
    proposed(house.first.post('/acme-loyalty/grants', { to, points }));
  const points = (to: string) =>
    queryOnce(database.url, 'SELECT points FROM acme_loyalty_points WHERE username = $1', [to]);
  const told = () => house.app.app.nest.get(Grants, { strict: false }).told;

  it('is carried out after another operator has approved it, and not before', async () => {
    const grant = await propose('ann');
    expect(grant).toMatchObject({ kind: 'acme_loyalty_grant', summary: 'Give ann 10 points.' });
    const alone = await approve(house.first, grant);
    expect([alone.status, alone.body.error.code]).toEqual([403, 'same_person']);
    expect(await points('ann')).toEqual([]);
    const approved = await expectStatus(approve(house.second, grant), 200);
    expect(approved).toMatchObject({ status: 'approved', decided_by: expect.stringMatching(/^user:/) });
    expect(await points('ann')).toEqual([{ points: 10 }]);
    expect(told()).toContain(grant.approval_id);
  });

  it('may be refused at that moment, and be rejected', async () => {
    const tooMany = await propose('bob', POINTS_MAX + 1);
    await expectStatus(approve(house.second, tooMany), 422);
    expect(await house.second.get(`/admin/approvals/${tooMany.approval_id}`)).toMatchObject({
      body: { status: 'failed', reason: 'unprocessable' },
    });
    const unwanted = await propose('bob');
    const path = `/admin/approvals/${unwanted.approval_id}/reject`;
    await expectStatus(house.second.post(path, { reason: 'No.' }), 200);
    expect(await points('bob')).toEqual([]);
    expect(told()).toContain(`not ${unwanted.approval_id}`);
  });

  it('is found by its kind, which the document names', async () => {
    const grant = await propose('cat');
    const { data } = await expectStatus(house.third.get('/admin/approvals?kind=acme_loyalty_grant'), 200);
    expect(data[0]).toMatchObject({ approval_id: grant.approval_id, status: 'pending' });
    const other = await house.third.get('/admin/approvals?kind=acme_loyalty_gift');
    expect(other).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed', details: [{ field: 'kind' }] } },
    });
    const document = await expectStatus(house.third.get('/openapi.json'), 200);
    const kinds = document.components.schemas.ApprovalKind.enum as string[];
    expect(kinds).toContain('acme_loyalty_grant');
    expect(kinds).toEqual([...kinds].sort());
  });

  it('waits where the plugin is not loaded, and is carried out when it is', async () => {
    const grant = await propose('dan');
    await house.app.close();
    const again = { databaseUrl: database.url, seedDemo: false, fourEyes: true };
    const without = await startTestApp({ ...again, plugins: [OtherPlugin] });
    const second = await logIn(without, OPERATORS[1]);
    expect(await second.get(`/admin/approvals/${grant.approval_id}`)).toMatchObject({
      body: { kind: 'acme_loyalty_grant', status: 'pending' },
    });
    const refused = await approve(second, grant);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    await without.close();
    const app = await startTestApp({ ...again, plugins: [LoyaltyPlugin] });
    house = { ...house, app };
    await expectStatus(approve(await logIn(app, OPERATORS[1]), grant), 200);
    expect(await points('dan')).toEqual([{ points: 10 }]);
  });
});
