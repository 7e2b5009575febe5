import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { createRoom, join, logOf, put, say } from '../../support/clients/chat-client.js';
import { RoomPicture } from './chat-log.js';
import { callerFor, loggedIn, type Caller, type Json, type Reply } from '../../support/caller.js';

const HOUR_MS = 3_600_000;

describe('members of a room', () => {
  let app: TestApp;
  let owner: Caller;
  let moderator: Caller;
  let member: Caller;
  let stranger: Caller;
  /** Public, of alice (owner), bob (moderator) and client:demo (member). */
  let path: string;
  beforeAll(async () => {
    app = await startTestApp();
    [owner, moderator] = await Promise.all([loggedIn(app.url, 'alice'), loggedIn(app.url, 'bob')]);
    [member, stranger] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'maker')]);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    const room = await createRoom(owner, { type: 'public', members: ['bob', 'client:demo'] });
    path = `/chat/rooms/${room.room_id}`;
    await owner.patch(`${path}/members/bob`, { role: 'moderator' });
  });

  const codeOf = async (reply: ReturnType<Caller['get']>): Promise<string> => {
    const { status, body } = await reply;
    return status < 400 ? String(status) : `${status} ${body.error.code}`;
  };
  const rolesOf = async (): Promise<Record<string, string>> => {
    const members = await owner.walk(`${path}/members`, 50);
    return Object.fromEntries(members.map(({ member: name, role }: Json) => [name, role]));
  };
  const send = (author: Caller, text = 'hello') => codeOf(author.post(`${path}/messages`, { text }));
  const anHourFromNow = (): string => new Date(Date.now() + HOUR_MS).toISOString();

  it('have roles that owners give', async () => {
    expect(await rolesOf()).toEqual({ alice: 'owner', bob: 'moderator', 'client:demo': 'member' });
    expect(await codeOf(moderator.patch(`${path}/members/client:demo`, { role: 'owner' }))).toBe(
      '403 forbidden',
    );
    expect(await codeOf(member.patch(`${path}/members/me`, { role: 'owner' }))).toBe('403 forbidden');
    expect(await codeOf(owner.patch(`${path}/members/nobody`, { role: 'member' }))).toBe('404 not_found');
    expect(await codeOf(owner.patch(`${path}/members/client:maker`, { role: 'member' }))).toBe(
      '404 not_found',
    );
    expect(await codeOf(owner.patch(`${path}/members/bob`, { role: 'king' }))).toBe('400 validation_failed');
    // A room needs an owner.
    expect(await codeOf(owner.patch(`${path}/members/me`, { role: 'member' }))).toBe('409 conflict');
    expect((await owner.patch(`${path}/members/BOB`, { role: 'owner' })).body).toMatchObject({
      member: 'bob',
      role: 'owner',
    });
    expect(await codeOf(owner.patch(`${path}/members/alice`, { role: 'member' }))).toBe('200');
    expect(await rolesOf()).toMatchObject({ alice: 'member', bob: 'owner' });
    const told = (await logOf(owner, path.split('/').at(-1)!)).map(
      ({ type, data }: Json) => `${type} ${data.member} ${data.role}`,
    );
    expect(told.slice(3)).toEqual([
      'member.added bob moderator',
      'member.added bob owner',
      'member.added alice member',
    ]);
  });

  it('are brought in by owners and moderators, and come by themselves', async () => {
    expect(await codeOf(member.post(`${path}/members`, { member: 'client:maker' }))).toBe('403 forbidden');
    expect(await codeOf(moderator.post(`${path}/members`, { member: 'nobody' }))).toBe('404 not_found');
    expect(await codeOf(member.post(`${path}/members`, { member: 'nobody' }))).toBe('403 forbidden');
    expect(await codeOf(moderator.post(`${path}/members`, { member: 'client:maker' }))).toBe('201');
    expect(await codeOf(owner.post(`${path}/members`, { member: 'client:maker' }))).toBe('200');
    expect(await codeOf(stranger.delete(`${path}/members/me`))).toBe('204');
    expect(await codeOf(stranger.post(`${path}/members`, { member: 'client:maker' }))).toBe('201');
  });

  it('come once, however many at the same time', async () => {
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => stranger.post(`${path}/members`, {})));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect((await owner.get(path)).body.members_count).toBe(4);
  });

  it('are removed by those above them, and leave as they like', async () => {
    const remove = (actor: Caller, name: string) => codeOf(actor.delete(`${path}/members/${name}`));
    expect(await remove(stranger, 'client:demo')).toBe('403 forbidden');
    expect(await remove(member, 'bob')).toBe('403 forbidden');
    expect(await remove(moderator, 'alice')).toBe('403 forbidden');
    expect(await remove(moderator, 'client:maker')).toBe('404 not_found');
    expect(await remove(moderator, 'client:demo')).toBe('204');
    expect(await send(member)).toBe('403 forbidden');
    await join(member, path.split('/').at(-1)!);
    expect(await send(member)).toBe('201');
    expect(await remove(moderator, 'me')).toBe('204');
    expect(await remove(moderator, 'me')).toBe('403 forbidden');
    expect((await owner.get(path)).body.members_count).toBe(2);
  });

  it('pass the room on when its owner goes', async () => {
    expect(await codeOf(owner.delete(`${path}/members/me`))).toBe('204');
    expect((await logOf(member, path.split('/').at(-1)!)).slice(-2)).toMatchObject([
      { type: 'member.removed', data: { member: 'alice' } },
      { type: 'member.added', data: { member: 'bob', role: 'owner' } },
    ]);
    expect(await codeOf(moderator.delete(`${path}/members/me`))).toBe('204');
    expect((await member.get(path)).body.membership.role).toBe('owner');
    expect(await codeOf(member.delete(`${path}/members/me`))).toBe('204');
    expect((await stranger.get(path)).body.members_count).toBe(0);
    // The first to join an empty room becomes its owner.
    expect((await stranger.post(`${path}/members`, {})).body.role).toBe('owner');
  });

  it('see a private room no more once they are out', async () => {
    const { room_id } = await createRoom(owner, { members: ['client:demo'] });
    expect(await codeOf(member.get(`/chat/rooms/${room_id}`))).toBe('200');
    await owner.delete(`/chat/rooms/${room_id}/members/client:demo`);
    for (const attempt of [
      member.get(`/chat/rooms/${room_id}`),
      member.post(`/chat/rooms/${room_id}/members`, {}),
      member.post(`/chat/rooms/${room_id}/messages`, { text: 'hello?' }),
    ]) {
      expect(await codeOf(attempt)).toBe('404 not_found');
    }
  });

  it('are muted by those above them, for a time', async () => {
    const mute = (actor: Caller, name: string, until: string | null) =>
      codeOf(actor.patch(`${path}/members/${name}`, { muted_until: until }));
    const { message_id } = await say(member, path.split('/').at(-1)!, 'before');
    expect(await mute(member, 'bob', anHourFromNow())).toBe('403 forbidden');
    expect(await mute(moderator, 'alice', anHourFromNow())).toBe('403 forbidden');
    expect(await mute(owner, 'me', anHourFromNow())).toBe('403 forbidden');
    expect(await mute(moderator, 'client:demo', 'tomorrow')).toBe('400 validation_failed');
    expect(await mute(moderator, 'client:demo', anHourFromNow())).toBe('200');
    expect(await send(member)).toBe('403 forbidden');
    expect(await codeOf(member.patch(`${path}/messages/${message_id}`, { text: 'x' }))).toBe('403 forbidden');
    expect(await codeOf(put(member, `${path}/messages/${message_id}/reactions/👍`))).toBe('403 forbidden');
    expect((await member.get(path)).body.membership.muted_until).toEqual(expect.any(String));
    // Leaving and rejoining does not help.
    await member.delete(`${path}/members/me`);
    await member.post(`${path}/members`, {});
    expect(await send(member)).toBe('403 forbidden');
    expect(await mute(owner, 'client:demo', null)).toBe('200');
    expect(await send(member)).toBe('201');
    await mute(owner, 'client:demo', '2024-01-01T00:00:00.000Z');
    expect(await send(member)).toBe('201');
  });

  it('decide about their own notifications alone', async () => {
    const silenced = await member.patch(`${path}/members/me`, { notifications_muted: true });
    expect(silenced.body).toMatchObject({ member: 'client:demo', notifications_muted: true });
    expect((await member.get(path)).body.membership.notifications_muted).toBe(true);
    expect(await codeOf(owner.patch(`${path}/members/client:demo`, { notifications_muted: false }))).toBe(
      '403 forbidden',
    );
    const seen = (await owner.walk(`${path}/members`, 50)).find(
      ({ member: name }: Json) => name === 'client:demo',
    );
    expect(seen).not.toHaveProperty('notifications_muted');
  });

  it('can tell from the log alone what has become of their room', async () => {
    const seed = Math.floor(Math.random() * 1_000_000);
    const chance = seeded(seed);
    const roomId = path.split('/').at(-1)!;
    const everyone = [owner, moderator, member, stranger];
    const names = ['alice', 'bob', 'client:demo', 'client:maker'];
    const pick = <T>(of: readonly T[]): T => of[chance(of.length)]!;
    const said: string[] = [];
    const message = (): string => `${path}/messages/${said.length === 0 ? 'msg_00000000001' : pick(said)}`;
    const actions: ((actor: Caller) => Promise<Reply>)[] = [
      (actor) => actor.post(`${path}/messages`, { text: `text ${chance(100)}` }),
      (actor) => actor.post(`${path}/messages`, { text: 'reply', ...(said[0] && { parent_id: said[0] }) }),
      (actor) => actor.post(`${path}/messages`, { text: 'same', client_message_id: `${chance(3)}` }),
      (actor) => actor.patch(message(), { text: `edit ${chance(3)}` }),
      (actor) => actor.delete(message()),
      (actor) => put(actor, `${message()}/reactions/${encodeURIComponent(pick(['👍', '🎉', '❤️']))}`),
      (actor) => actor.delete(`${message()}/reactions/${encodeURIComponent(pick(['👍', '🎉']))}`),
      (actor) => put(actor, `${path}/read`, { sequence: chance(60) }),
      (actor) => actor.post(`${path}/members`, {}),
      (actor) => actor.post(`${path}/members`, { member: pick(names) }),
      (actor) => actor.delete(`${path}/members/${pick([...names, 'me'])}`),
      (actor) => actor.patch(`${path}/members/${pick(names)}`, { role: pick(['owner', 'member']) }),
    ];
    for (let wave = 0; wave < 12; wave++) {
      const replies = await Promise.all(Array.from({ length: 12 }, () => pick(actions)(pick(everyone))));
      for (const { status, body } of replies) {
        expect(status, JSON.stringify(body)).toBeLessThan(500);
        if (status === 201 && body.message_id !== undefined) said.push(body.message_id as string);
      }
    }
    const picture = new RoomPicture(await logOf(stranger, roomId));
    const room = (await stranger.get(path)).body;
    expect(room, `seed ${seed}`).toMatchObject({
      sequence: picture.sequence,
      members_count: picture.members.size,
    });
    const members = await stranger.walk(`${path}/members`, 50);
    expect(
      Object.fromEntries(
        members.map(({ member: name, role, read_sequence }: Json) => [
          name,
          { role, readSequence: read_sequence },
        ]),
      ),
      `seed ${seed}`,
    ).toEqual(Object.fromEntries(picture.members));
    const messages = (await stranger.walk(`${path}/messages`, 50)).map((each: Json) => ({
      ...each,
      reactions: each.reactions.map(({ emoji, count }: Json) => ({ emoji, count })),
    }));
    expect(messages.reverse(), `seed ${seed}`).toEqual([...picture.messages.values()]);
  });
});

/** Seeded pseudo-random numbers below a bound. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
