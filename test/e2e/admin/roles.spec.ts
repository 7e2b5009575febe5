import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLE_NAMES } from '../../../scripts/support/roles-table.js';
import { OAuthClientsService } from '../../../src/modules/auth/clients/oauth-clients.service.js';
import { ScopeCatalogue } from '../../../src/kit/security/scope.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json, Reply } from '../../support/caller.js';
import { logIn, UserCaller } from '../../support/clients/users-client.js';
import { approve, expectStatus, type House, proposed, startHouse } from './approvals-client.js';

interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  readonly roles: readonly string[];
}

/** The table of `docs/roles.md`. */
async function readMatrix(): Promise<DocumentedRoute[]> {
  const [, table = ''] = (await readFile('docs/roles.md', 'utf8')).split('## The matrix\n\n');
  const [head = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf);
  expect(head.slice(1).map((role) => `operator:${role}`)).toEqual(ROLE_NAMES);
  return rows.map(([route = '', ...marks]) => {
    const [method = '', path = ''] = route.replaceAll('`', '').split(' ');
    return { method, path, roles: ROLE_NAMES.filter((_, at) => marks[at] === '✓') };
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

describe('every route for operators', () => {
  let service: TestApp;
  let routes: DocumentedRoute[];

  beforeAll(async () => {
    service = await startTestApp({ rateLimits: 'off' });
    routes = await readMatrix();
    await service.app.nest.get(OAuthClientsService).ensure({
      clientId: 'walker',
      name: 'Walker',
      secret: 'walker-secret',
      grantTypes: ['client_credentials'],
      redirectUris: [],
      scopes: service.app.nest.get(ScopeCatalogue).all,
    });
  });
  afterAll(() => service.close());

  async function tokenWith(...scopes: string[]): Promise<string> {
    const { body } = await new UserCaller(service.url).tryToken('walker', 'walker-secret', scopes.join(' '));
    return body.access_token;
  }

  /** Of the answer, whatever is in it. */
  async function statusOf(token: string, { method, path }: DocumentedRoute): Promise<number> {
    const response = await fetch(service.url + path.replaceAll(/\{\w+\}/g, 'nothing'), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: method === 'GET' ? null : '{}',
    });
    await response.arrayBuffer();
    return response.status;
  }

  it('is in the matrix, and each has a role or is left to admin', () => {
    expect(routes.length).toBeGreaterThan(90);
    const admins = routes
      .filter(({ roles }) => roles.length === 0)
      .map(({ method, path }) => `${method} ${path}`);
    expect(admins).toEqual([
      'POST /admin/demo/reset',
      'POST /admin/operators',
      'PUT /admin/users/{username}/roles',
    ]);
  });

  it.each(ROLE_NAMES)('takes %s where the matrix says so, and nowhere else', async (role) => {
    const token = await tokenWith(role);
    // Beside all scopes of customers: none of them helps.
    const grantable = service.app.nest.get(ScopeCatalogue).grantable;
    const others = await tokenWith(...grantable, ...ROLE_NAMES.filter((other) => other !== role));
    for (const route of routes.filter(({ path }) => !path.startsWith('/user'))) {
      const name = `${route.method} ${route.path} by ${role}`;
      const status = await statusOf(token, route);
      if (route.roles.includes(role)) {
        expect([401, 403, 500], name).not.toContain(status);
        if (route.roles.length === 1) expect(await statusOf(others, route), name).toBe(403);
      } else expect(status, name).toBe(403);
    }
  });

  it('takes admin everywhere', async () => {
    const token = await tokenWith('admin');
    for (const route of routes.filter(({ path }) => path !== '/admin/demo/reset')) {
      expect([401, 403, 500], `${route.method} ${route.path}`).not.toContain(await statusOf(token, route));
    }
  });

  it.each(ROLE_NAMES)('of users, whom others do not see, takes %s as the matrix says', async (role) => {
    const anyone = new UserCaller(service.url);
    const caller = anyone.withBearer(await tokenWith(role));
    const name = role.replace('operator:', 'subject-');
    const fresh = (suffix: string): object => ({
      username: `${name}-${suffix}`,
      password: 'a long password',
    });
    const admin = anyone.withBearer(await tokenWith('admin'));
    await expectStatus(admin.post('/user', fresh('0')), 200);
    const calls: Readonly<Record<string, () => Promise<Reply>>> = {
      'POST /user': () => caller.post('/user', fresh('1')),
      'POST /user/createWithArray': () => caller.post('/user/createWithArray', [fresh('2')]),
      'POST /user/createWithList': () => caller.post('/user/createWithList', [fresh('3')]),
      'GET /user/{username}': () => caller.get(`/user/${name}-0`),
      'PUT /user/{username}': () => caller.put(`/user/${name}-0`, { firstName: 'Eve' }),
      'DELETE /user/{username}': () => caller.delete(`/user/${name}-0`),
    };
    const ofUsers = routes.filter(({ path }) => path.startsWith('/user'));
    expect(ofUsers.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(calls).sort());
    for (const [route, send] of Object.entries(calls)) {
      const { roles } = ofUsers.find(({ method, path }) => `${method} ${path}` === route)!;
      const expected = roles.includes(role) ? [200] : [403, 404];
      expect(expected, `${route} by ${role}`).toContain((await send()).status);
    }
  });
});

describe('roles of a user', () => {
  let house: House;
  beforeAll(async () => {
    house = await startHouse();
  });
  afterAll(() => house.app.close());

  let made = 0;

  async function customer(): Promise<{ username: string; session: () => Promise<UserCaller> }> {
    const username = `clerk-${++made}`;
    await expectStatus(house.first.post('/user', { username, password: `${username}-password` }), 200);
    return { username, session: () => logIn(house.app, username) };
  }

  const setRoles = (by: UserCaller, username: string, roles: unknown): Promise<Reply> =>
    by.put(`/admin/users/${username}/roles`, { roles });

  /** By the second, as the first proposes. */
  async function give(username: string, ...roles: string[]): Promise<void> {
    const approval = await proposed(setRoles(house.first, username, roles));
    await expectStatus(approve(house.second, approval), 200);
  }

  async function clerk(...roles: string[]): Promise<{ username: string; caller: UserCaller }> {
    const { username, session } = await customer();
    await give(username, ...roles);
    return { username, caller: await session() };
  }

  it('are set by two persons with admin, listed, and on the audit log', async () => {
    const { username, session } = await customer();
    const early = await session();
    const approval = await proposed(setRoles(house.first, username, ['operator:finance', 'operator:read']));
    expect(approval).toMatchObject({ kind: 'operator_roles', subject: { type: 'user', id: username } });
    expect((await approve(house.first, approval)).body.error.code).toBe('same_person');
    await expectStatus(approve(house.second, approval), 200);
    const { body } = await house.third.get(`/admin/users?q=${username}`);
    expect(body.data[0]).toMatchObject({ operator: false, roles: ['operator:finance', 'operator:read'] });
    // A session from before has the scopes of before.
    await expectStatus(early.get('/admin/payouts'), 403);
    const caller = await session();
    await expectStatus(caller.get('/admin/payouts'), 200);
    await expectStatus(caller.get('/admin/kyc'), 403);
    const audit = await house.third.get(`/admin/audit?limit=5`);
    expect(audit.body.data.map(({ action }: Json) => action)).toEqual(
      expect.arrayContaining(['setUserRole', 'approveApproval']),
    );
  });

  it('that are taken away are gone at the next request of every session', async () => {
    const { username, caller } = await clerk('operator:finance', 'operator:markets');
    await expectStatus(caller.get('/admin/payouts'), 200);
    await give(username, 'operator:markets');
    expect((await expectStatus(caller.get('/admin/payouts'), 403)).error.code).toBe('insufficient_scope');
    await expectStatus(caller.get('/admin/orders'), 200);
    await give(username);
    await expectStatus(caller.get('/admin/orders'), 403);
    await expectStatus(caller.get('/accounts'), 200);
  });

  it('narrow an admin who keeps a session', async () => {
    const { username, caller } = await clerk('admin');
    await expectStatus(caller.get('/admin/audit'), 200);
    await give(username, 'operator:content');
    await expectStatus(caller.get('/admin/audit'), 403);
    await expectStatus(caller.get('/admin/blog/posts'), 200);
  });

  it.each([
    ['operator:nothing'],
    ['account:read'],
    [' admin'],
    ['ADMIN'],
    ['operator:finance', 'operator:finance'],
    ['\u0000'],
    [7],
    [null],
  ])('are none of %j', async (...roles) => {
    const { username } = await customer();
    const { error } = await expectStatus(setRoles(house.first, username, roles), 400);
    expect(['validation_failed', 'malformed_request']).toContain(error.code);
  });

  it('are a list', async () => {
    const { username } = await customer();
    for (const roles of ['admin', {}, undefined, Array.from({ length: 51 }, (_, at) => `operator:${at}`)]) {
      await expectStatus(setRoles(house.first, username, roles), 400);
    }
  });

  it('are not for oneself, for nobody, or for who has no admin to give', async () => {
    const { caller, username } = await clerk('operator:security');
    expect((await expectStatus(setRoles(house.first, 'first', ['admin']), 403)).error.code).toBe(
      'related_person',
    );
    await expectStatus(setRoles(house.first, 'nobody-at-all', ['admin']), 404);
    await expectStatus(setRoles(caller, username, ['admin']), 403);
    await expectStatus(setRoles(caller, 'second', []), 403);
    await expectStatus(caller.post('/admin/operators', { username }), 403);
  });

  it('go to no key and no client that a user makes', async () => {
    const { caller } = await clerk('operator:finance');
    for (const [path, more] of [
      ['/auth/api-keys', {}],
      ['/auth/clients', { grant_types: ['client_credentials'] }],
    ] as const) {
      const body = { name: 'robot', scopes: ['operator:finance'], ...more };
      expect((await expectStatus(caller.post(path, body), 400)).error.code).toBe('validation_failed');
    }
  });

  it('come with no log-in by the query', async () => {
    const { username } = await clerk('operator:finance');
    const seen = await logIn(house.app, username, `${username}-password`, 'query');
    await expectStatus(seen.get('/admin/payouts'), 403);
  });

  describe('of two persons', () => {
    /** Of somebody who is no operator. */
    async function account(): Promise<string> {
      const { session } = await customer();
      return (await (await session()).get('/accounts')).body.data[0].account_id;
    }

    async function deposit(by: UserCaller): Promise<Json> {
      const body = { asset: 'EUR', amount: '1', reference: `wire ${++made}` };
      return proposed(by.post(`/admin/accounts/${await account()}/deposits`, body));
    }

    it('are those that the kind needs, of the proposer as of the decider', async () => {
      const { caller: one } = await clerk('operator:finance');
      const { caller: markets } = await clerk('operator:markets');
      const approval = await deposit(one);
      expect((await expectStatus(approve(markets, approval), 403)).error.code).toBe('insufficient_scope');
      const { approval_id: id } = approval;
      await expectStatus(markets.get(`/admin/approvals/${id}`), 403);
      await expectStatus(markets.post(`/admin/approvals/${id}/reject`, { reason: 'no' }), 403);
      expect((await markets.get('/admin/approvals')).body.data).toEqual([]);
      expect((await markets.get('/admin/approvals?kind=deposit')).body.data).toEqual([]);
      const body = { asset: 'EUR', amount: '1', reference: 'no' };
      await expectStatus(markets.post(`/admin/accounts/${await account()}/deposits`, body), 403);
      expect((await one.get('/admin/approvals?status=pending')).body.data).toHaveLength(1);
      await expectStatus(approve(house.third, approval), 200);
    });

    it('do not count who has lost the role meanwhile', async () => {
      const { username, caller } = await clerk('operator:finance');
      const approval = await deposit(caller);
      await give(username, 'operator:support');
      const { error } = await expectStatus(approve(house.third, approval), 409);
      expect(error).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('lost the role') as string,
      });
      expect((await house.third.get(`/admin/approvals/${approval.approval_id}`)).body.status).toBe('pending');
      // Who proposed it may still take it back.
      const again = await logIn(house.app, username);
      const withdrawn = await again.post(`/admin/approvals/${approval.approval_id}/reject`, {
        reason: 'mine',
      });
      expect(withdrawn.status).toBe(200);
    });

    it('do not decide about each other where one made the other', async () => {
      const { caller } = await clerk('operator:finance');
      // The first made both clerks.
      const { caller: other } = await clerk('operator:finance');
      const approval = await deposit(caller);
      expect((await expectStatus(approve(house.first, approval), 403)).error.code).toBe('related_person');
      expect((await expectStatus(approve(other, approval), 403)).error.code).toBe('related_person');
    });
  });

  describe('keep others from the log-ins of operators with more', () => {
    it('of support', async () => {
      const { caller } = await clerk('operator:support');
      const { username: chief } = await clerk('admin');
      const { username: customerName } = await customer();
      for (const change of [
        { password: 'taken over now' },
        { email: 'eve@example.com' },
        { firstName: 'Eve' },
      ]) {
        const { error } = await expectStatus(caller.put(`/user/${chief}`, change), 403);
        expect(error.code).toBe('insufficient_scope');
      }
      await expectStatus(caller.delete(`/user/${chief}`), 403);
      await expectStatus(caller.put(`/user/${customerName}`, { firstName: 'Carol' }), 200);
      await expectStatus(caller.post(`/admin/users/${customerName}/lock`, { reason: 'no' }), 403);
    });

    it('of security, who locks them all the same', async () => {
      const { caller } = await clerk('operator:security');
      const { username: finance, caller: theirs } = await clerk('operator:finance');
      await expectStatus(caller.delete(`/admin/users/${finance}/second-factors`), 403);
      await expectStatus(caller.put(`/user/${finance}`, { password: 'taken over now' }), 403);
      await expectStatus(caller.post(`/admin/users/${finance}/lock`, { reason: 'stolen' }), 200);
      await expectStatus(theirs.get('/admin/payouts'), 401);
    });
  });
});

describe('alone, without FOUR_EYES', () => {
  it('an admin sets the roles of others, and never their own', async () => {
    const service = await startTestApp({ rateLimits: 'off' });
    try {
      const admin = await logIn(service, 'admin');
      const bob = await logIn(service, 'bob');
      await expectStatus(bob.put('/admin/users/alice/roles', { roles: ['admin'] }), 403);
      const reply = await expectStatus(
        admin.put('/admin/users/bob/roles', { roles: ['operator:read'] }),
        200,
      );
      expect(reply).toEqual({ username: 'bob', roles: ['operator:read'] });
      await expectStatus((await logIn(service, 'bob')).get('/admin/ledger/check'), 200);
      expect((await admin.put('/admin/users/admin/roles', { roles: [] })).body.error.code).toBe(
        'related_person',
      );
      await expectStatus(admin.put('/admin/users/bob/roles', { roles: ['admin'] }), 200);
      const other = await logIn(service, 'bob');
      await expectStatus(other.put('/admin/users/admin/roles', { roles: [] }), 200);
      await expectStatus(admin.get('/admin/audit'), 403);
      // Bob is the last one; the service's own client has admin, and cannot take it from him.
      const { body } = await new UserCaller(service.url).tryToken('admin', 'admin-secret');
      const robot = new UserCaller(service.url).withBearer(body.access_token);
      expect((await robot.put('/admin/users/bob/roles', { roles: [] })).body.error.code).toBe('conflict');
    } finally {
      await service.close();
    }
  });
});
