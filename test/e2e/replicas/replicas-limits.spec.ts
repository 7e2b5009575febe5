import { EventSource } from 'eventsource';
import type { Request } from 'express';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CoreService } from '../../../src/core/core.service.js';
import { FamiliarPlaces } from '../../../src/modules/users/familiar-places.js';
import { BUDGETS, RateLimits } from '../../../src/kit/rate-limit/rate-limits.js';
import { REDIS_LINK, type RedisLink } from '../../../src/kit/redis/redis-link.js';
import {
  ConnectionLimits,
  CONNECTIONS_PER_PRINCIPAL_MAX,
} from '../../../src/kit/realtime/connection-limits.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/core.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';
import { sessionOf } from '../../support/clients/chat-streams-client.js';
import { Caller, tokenFor } from '../../support/caller.js';

const FAILURES_MAX = BUDGETS.credential_failures.points;

describe.skipIf(isRedisMissing('limits over several processes'))(
  'credentials and limits of two processes',
  () => {
    let replicas: Replicas;
    const ends: (() => void)[] = [];

    beforeAll(async () => {
      replicas = await Replicas.start();
    });
    afterEach(() => {
      for (const end of ends.splice(0)) end();
    });
    afterAll(() => replicas.stop());

    function socketTo({ url }: TestApp, token: string): Socket {
      const socket = io(`${url}/chat`, {
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
        auth: { token },
      });
      ends.push(() => socket.disconnect());
      return socket;
    }

    async function logIn({ url }: TestApp, username: string, password: string): Promise<number> {
      const response = await fetch(`${url}/user/login`, {
        headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
      });
      await response.text();
      return response.status;
    }

    it('end sockets and refuse requests at once where another process revoked the credential', async () => {
      const { leader, other } = replicas;
      const token = await sessionOf(leader.url, 'alice');
      const socket = socketTo(other, token);
      const codes: string[] = [];
      socket.on('error', ({ error }) => codes.push(error.code));
      await eventually(() => socket.connected, 'the socket is connected');
      const there = new Caller(other.url, token);
      expect((await there.get('/chat/rooms')).status).toBe(200);
      expect((await new Caller(leader.url, token).get('/user/logout')).status).toBe(200);
      await eventually(() => !socket.connected, 'the socket is ended');
      expect(codes).toEqual(['invalid_token']);
      expect((await there.get('/chat/rooms')).status).toBe(401);
    });

    it('let tickets of one process follow at the other', async () => {
      const { leader, other } = replicas;
      const path = '/chat/rooms/rom_00000000001/stream';
      const caller = new Caller(leader.url, await tokenFor(leader.url, 'demo'));
      const { status, body } = await caller.post('/auth/stream-tickets', { path });
      expect(status).toBe(201);
      const stream = new EventSource(`${other.url}${path}?ticket=${body.ticket}`);
      ends.push(() => stream.close());
      let isOpen = false;
      stream.addEventListener('presence.changed', () => (isOpen = true));
      await eventually(() => isOpen, 'the stream begins');
    });

    it('count failed log-ins together', async () => {
      const { leader, other } = replicas;
      for (let i = 0; i < FAILURES_MAX; i++) {
        expect(await logIn(i % 2 === 0 ? leader : other, 'bob', `wrong ${i}`)).toBe(401);
      }
      expect(await logIn(leader, 'bob', 'bob-password')).toBe(429);
      expect(await logIn(other, 'bob', 'bob-password')).toBe(429);
      expect(await logIn(other, 'alice', 'alice-password')).toBe(200);
    });

    it('take from one budget, and each from its own while Redis is frozen, without delay', async () => {
      const [here, there] = [replicas.leader.app, replicas.other.app].map(({ nest }) => nest.get(RateLimits));
      const { points } = BUDGETS.password_changes;
      for (let left = points - 1; left >= 0; left--) {
        const limits = left % 2 === 0 ? here! : there!;
        expect((await limits.consume('password_changes', 'somebody')).remaining).toBe(left);
      }
      await expect(there!.consume('password_changes', 'somebody')).rejects.toMatchObject({ status: 429 });
      await expect(there!.requireBudget('password_changes', 'somebody')).rejects.toMatchObject({
        status: 429,
      });

      replicas.redis.pause();
      expect((await here!.consume('password_changes', 'somebody')).remaining).toBe(points - 1);
      expect((await there!.consume('password_changes', 'somebody')).remaining).toBe(points - 1);
      replicas.redis.resume();
      await eventually(async () => {
        const isRefused = await here!.consume('password_changes', 'somebody').then(
          () => false,
          () => true,
        );
        return isRefused;
      }, 'they count together again');
    });

    it('know the places from which users have logged in elsewhere', async () => {
      const { leader, other } = replicas;
      expect(await logIn(leader, 'alice', 'alice-password')).toBe(200);
      const bucket = other.app.nest.get(RateLimits).addressBucketOf({ ip: '127.0.0.1' } as Request);
      const familiar = other.app.nest.get(FamiliarPlaces);
      await eventually(() => familiar.has(`${bucket} alice`), 'the other process knows the place');
      expect(await familiar.has(`${bucket} bob`)).toBe(false);
    });

    it('count the connections of a principal together', async () => {
      const [here, there] = [replicas.leader.app, replicas.other.app].map(({ nest }) =>
        nest.get(ConnectionLimits),
      );
      const owner = { accountOwner: 'client:many' };
      const releases: (() => void)[] = [];
      for (let i = 0; i < CONNECTIONS_PER_PRINCIPAL_MAX; i++) releases.push(here!.countPrincipal(owner));
      const tryThere = (): boolean => {
        try {
          there!.countPrincipal(owner)();
          return true;
        } catch {
          return false;
        }
      };
      await eventually(() => !tryThere(), 'the other process refuses one more');
      for (const release of releases) release();
      await eventually(() => tryThere() && there!.isEmpty, 'there is room again');
    });

    it('keep failed log-ins and known places when another process takes the lead', async () => {
      const [leader, other] = [replicas.leader, replicas.other].map(({ app }) => app.nest);
      const { points } = BUDGETS.user_login_failures;
      await leader!.get(RateLimits).consume('user_login_failures', 'attacked', points);
      leader!.get(FamiliarPlaces).add('a place');
      await leader!.get(CoreService).handOver();
      await eventually(() => other!.get(CoreService).leads, 'the other process leads');
      const links = [leader!, other!].map((nest) => nest.get<RedisLink>(REDIS_LINK));
      await eventually(() => links[0]!.nameOf('') === links[1]!.nameOf(''), 'the former leader follows');
      for (const nest of [leader!, other!]) {
        await expect(
          nest.get(RateLimits).requireBudget('user_login_failures', 'attacked'),
        ).rejects.toMatchObject({
          status: 429,
        });
      }
      expect(await other!.get(FamiliarPlaces).has('a place')).toBe(true);
    });
  },
);
