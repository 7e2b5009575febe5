import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { userMadeBy } from '../e2e/admin/approvals-client.js';
import { createRoom, say } from '../support/clients/chat-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let alice: UserCaller;
let bob: UserCaller;

const openAs = (user: string, part = ''): Promise<ConsoleWindow> =>
  world.openAs(user, part === '' ? 'chat' : `chat/${part}`, 'Chat');

const box = ({ page }: ConsoleWindow, name: string) => page.getByRole('textbox', { name });
const message = ({ page }: ConsoleWindow, text: string) =>
  page.getByRole('article').filter({ hasText: text });

async function newRoom(name: string, more: object = {}): Promise<string> {
  const { room_id: roomId } = await createRoom(alice, { name, type: 'public', members: ['bob'], ...more });
  return roomId as string;
}

async function textsIn(roomId: string): Promise<(string | null)[]> {
  const { body } = await alice.get(`/chat/rooms/${roomId}/messages`);
  return body.data.map(({ text }: { text: string | null }) => text).reverse();
}

describe.runIf(hasBrowser)('the chat', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({
      seedDemo: false,
      bootstrapAdmins: [{ username: 'first', password: 'first-password' }],
    });
    const operator = await logIn(world.app, 'first');
    alice = await userMadeBy(world.app, operator, 'alice');
    bob = await userMadeBy(world.app, operator, 'bob');
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('makes a room, and says what is wrong with one that cannot be', async () => {
    const window = await openAs('alice');
    const make = window.page.getByRole('form', { name: 'Make a room' });
    await make.getByLabel('Name').fill('Weather');
    await make.getByLabel('With').fill('nobody-at-all');
    await window.page.keyboard.press('Enter');
    await make.getByRole('alert').first().waitFor();
    await make.getByLabel('With').fill('bob');
    await window.page.keyboard.press('Enter');
    await window.page.getByRole('heading', { level: 2, name: 'Weather' }).waitFor();
    await window.page.getByText('Public · 2 members').waitFor();
    const { body } = await bob.get('/chat/rooms?member=me');
    expect(body.data.map(({ name }: { name: string }) => name)).toContain('Weather');
  });

  it('carries messages between two people, live, once and as they were written', async () => {
    const roomId = await newRoom('Two people');
    const [one, two] = [await openAs('alice', roomId), await openAs('bob', roomId)];
    for (const window of [one, two]) await window.expectState('Live');
    const text = '<img src=x onerror=alert(1)>\nand a second line 🙂 \u202Eevil';
    await box(one, 'Message').fill(text);
    await two.page.getByText('alice is writing…').waitFor();
    await one.page.keyboard.press('Enter');
    await one.page.keyboard.press('Enter');
    await message(two, 'and a second line').waitFor();
    await two.page.getByText('alice is writing…').waitFor({ state: 'detached' });
    expect(await message(two, 'and a second line').locator('.text').textContent()).toBe(text);
    expect(await one.page.getByRole('article').count()).toBe(1);
    expect(await textsIn(roomId)).toEqual([text]);
    expect(await box(one, 'Message').inputValue()).toBe('');

    await two.button(`React: alice: ${text.slice(0, 40)}`).click();
    await two.button('React with 🎉').click();
    await one.button('🎉 1').waitFor();
    expect(await one.button('🎉 1').getAttribute('aria-pressed')).toBe('false');
    expect(await two.button('🎉 1').getAttribute('aria-pressed')).toBe('true');
    await one.button('🎉 1').click();
    await two.button('🎉 2').waitFor();
    await two.button('🎉 2').click();
    await one.button('🎉 1').waitFor();
  });

  it('answers in threads, and counts the answers', async () => {
    const roomId = await newRoom('Threads');
    await say(alice, roomId, 'Who is going?');
    await say(alice, roomId, 'Something else');
    const [one, two] = [await openAs('alice', roomId), await openAs('bob', roomId)];
    await message(two, 'Who is going?').getByRole('link', { name: 'Reply' }).click();
    await two.page.getByRole('heading', { level: 3, name: 'Thread' }).waitFor();
    await box(two, 'Reply').fill('I am');
    await box(two, 'Reply').press('Enter');
    await message(two, 'I am').waitFor();
    expect(await two.page.getByRole('article').count()).toBe(2);
    await message(one, 'Who is going?').getByRole('link', { name: '1 reply' }).click();
    await message(one, 'I am').waitFor();
    await one.page.getByRole('link', { name: 'Back to the room' }).click();
    await message(one, 'Something else').waitFor();
    expect(await one.page.getByRole('article').count()).toBe(2);
  });

  it('changes and deletes one’s own messages, and nobody else’s', async () => {
    const roomId = await newRoom('Corrections');
    await say(bob, roomId, 'Rain tomorow');
    await say(alice, roomId, 'Of alice');
    const window = await openAs('bob', roomId);
    expect(
      await message(window, 'Of alice')
        .getByRole('button', { name: /^(Edit|Delete)/ })
        .count(),
    ).toBe(0);
    await window.button('Edit: bob: Rain tomorow').click();
    await window.page.getByRole('form', { name: 'Edit' }).getByLabel('Message').fill('Rain tomorrow');
    await window.page.getByRole('form', { name: 'Edit' }).getByRole('button', { name: 'Save' }).click();
    await message(window, 'Rain tomorrow').getByText('edited').waitFor();
    expect(await textsIn(roomId)).toEqual(['Rain tomorrow', 'Of alice']);
    await window.confirm('Delete: bob: Rain tomorrow');
    await window.page.getByText('This message was deleted.').waitFor();
    expect(await textsIn(roomId)).toEqual([null, 'Of alice']);
  });

  it('counts what is unread, until it is read', async () => {
    const roomId = await newRoom('To read');
    const window = await openAs('bob');
    await say(alice, roomId, 'One');
    await say(alice, roomId, 'Two');
    const room = window.page.getByRole('listitem').filter({ hasText: 'To read' });
    await room.getByText('2 unread').waitFor();
    await room.getByRole('link').click();
    await message(window, 'Two').waitFor();
    await eventually(async () => {
      const { body } = await bob.get(`/chat/rooms/${roomId}`);
      expect(body.unread_count).toBe(0);
    });
  });

  it('reads earlier messages a page at a time, and finds them by their words', async () => {
    const roomId = await newRoom('Long');
    for (let number = 1; number <= 60; number++) await say(alice, roomId, `Message ${number} of many`);
    const window = await openAs('bob', roomId);
    const { page } = window;
    await message(window, 'Message 60 of many').waitFor();
    expect(await page.getByRole('article').count()).toBe(50);
    await window.button('Show earlier messages').click();
    await message(window, 'Message 1 of many').first().waitFor();
    expect(await page.getByRole('article').count()).toBe(60);
    await page.getByRole('searchbox', { name: 'Search' }).fill('"Message 7 of"');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'alice: Message 7 of many' }).click();
    await page.getByRole('heading', { level: 3, name: 'Thread' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
  });

  it('lets owners mute, give roles and remove, and operators ban', async () => {
    const roomId = await newRoom('Order');
    const window = await openAs('alice', roomId);
    await window.page.getByText('Members', { exact: true }).click();
    await window.confirm('Mute for an hour: bob');
    await window.button('End the mute: bob').waitFor();
    expect((await bob.post(`/chat/rooms/${roomId}/messages`, { text: 'x' })).status).toBe(403);
    const muted = await openAs('bob', roomId);
    await box(muted, 'Message').fill('May I?');
    await box(muted, 'Message').press('Enter');
    await muted.page.getByRole('form', { name: 'Message' }).getByRole('alert').waitFor();
    expect(await box(muted, 'Message').inputValue()).toBe('May I?');
    await window.confirm('End the mute: bob');
    await window.button('Mute for an hour: bob').waitFor();
    await window.page.getByLabel('Role of bob').selectOption('Moderator');
    await window.page
      .getByRole('row')
      .filter({ hasText: 'bob' })
      .getByRole('cell', { name: 'Moderator', exact: true })
      .waitFor();

    const operator = await openAs('first', roomId);
    await say(alice, roomId, 'What nobody should read');
    await operator.page.reload();
    await operator.confirm('Delete: alice: What nobody should read');
    await operator.page.getByText('This message was deleted.').waitFor();
    await window.page.getByText('This message was deleted.').waitFor();
    await operator.page.getByText('Members', { exact: true }).click();
    await operator.confirm('Mute for an hour: bob', 'Shouts.');
    await operator.confirm('End the mute: bob');
    await operator.confirm('Ban for a day: bob', 'Shouts.');
    await muted.button('Join').waitFor();
    expect((await bob.post(`/chat/rooms/${roomId}/messages`, { text: 'x' })).status).toBe(403);
    await muted.button('Join').click();
    await muted.page.getByRole('alert').first().waitFor();
    await operator.confirm('End the ban: bob');
    await operator.page.getByText('Nobody is banned.').waitFor();
    await muted.button('Join').click();
    await muted.button('Leave').waitFor();
  });

  it('shows nothing of a room that one is not in', async () => {
    const roomId = await newRoom('Secret', { type: 'private', members: [] });
    await say(alice, roomId, 'Between us');
    const window = await openAs('bob', roomId);
    await window.page.getByRole('main').getByRole('alert').first().waitFor();
    expect(await window.page.getByText('Between us').count()).toBe(0);
    expect(await window.page.getByText('Secret').count()).toBe(0);
  });

  it('is readable for everybody, in all its parts', async () => {
    const roomId = await newRoom('Readable');
    const { message_id: first } = await say(alice, roomId, 'Hello 👋 '.repeat(30));
    await say(bob, roomId, 'x'.repeat(300), { parent_id: first });
    await say(bob, roomId, 'Short');
    const window = await openAs('alice');
    await window.page.getByText('Choose a room.').waitFor();
    await expectReadable(window, 'chat');
    await window.goTo(`chat/${roomId}`);
    await window.page.getByText('Members', { exact: true }).click();
    await window.button('Mute for an hour: bob').waitFor();
    await expectReadable(window, 'chat room');
    await window.goTo(`chat/${roomId}/${first}`);
    await message(window, 'xxx').waitFor();
    await expectReadable(window, 'chat thread');
  });
});
