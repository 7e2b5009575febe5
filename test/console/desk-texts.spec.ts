import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { put } from '../support/clients/chat-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let first: UserCaller;

const open = (part: string): Promise<ConsoleWindow> =>
  world.openAs('first', part === '' ? 'desk/texts' : `desk/texts/${part}`, 'Texts');

const form = ({ page }: ConsoleWindow, name: string) => page.getByRole('form', { name });
const preview = ({ page }: ConsoleWindow) => page.getByRole('region', { name: 'Preview' });

describe.runIf(hasBrowser)('the desk’s texts', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({
      seedDemo: false,
      bootstrapAdmins: [{ username: 'first', password: 'first-password' }],
    });
    first = await logIn(world.app, 'first');
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('shows what becomes of a post while it is written, and publishes it', async () => {
    const window = await open('posts/new');
    const { page } = window;
    const write = form(window, 'Write a post');
    await write.getByRole('button', { name: 'Save' }).click();
    await write.locator('.field').filter({ hasText: 'Title' }).getByRole('alert').waitFor();
    await write.getByLabel('Title').fill('Fees <b>fall</b>');
    await write
      .getByLabel('Text', { exact: true })
      .fill(
        '## From May on\n\n**Makers** pay nothing.\n\n<script>alert(1)</script><img src=x onerror=alert(1)>',
      );
    await preview(window).getByRole('heading', { name: 'From May on' }).waitFor();
    await preview(window).getByText('1 minute to read').waitFor();
    expect(await preview(window).locator('script, [onerror]').count()).toBe(0);
    await write.getByLabel('Tags').fill('fees, makers');
    await write.getByLabel('State').selectOption('Published');
    await write.getByRole('button', { name: 'Save' }).click();
    await form(window, 'Change the post').waitFor();
    const { body } = await first.get('/blog/posts');
    expect(body.data).toMatchObject([
      { title: 'Fees <b>fall</b>', tags: [{ name: 'fees' }, { name: 'makers' }] },
    ]);
    await page.getByRole('link', { name: 'See it as readers do' }).waitFor();
  });

  it('does not write over what somebody else has changed meanwhile', async () => {
    const made = await first.post('/admin/blog/posts', { title: 'Two editors', markdown: 'One.' });
    const { post_id: id } = made.body;
    const window = await open(`posts/${id}`);
    const change = form(window, 'Change the post');
    await change.getByLabel('Text', { exact: true }).fill('Two.');
    const other = { title: 'Two editors', markdown: 'Three.' };
    expect((await put(first, `/admin/blog/posts/${id}`, other)).status).toBe(200);
    await change.getByRole('button', { name: 'Save' }).click();
    await change.getByRole('alert').first().waitFor();
    expect((await first.get(`/admin/blog/posts/${id}`)).body.markdown).toBe('Three.');
    expect(await change.getByLabel('Text', { exact: true }).inputValue()).toBe('Two.');
  });

  it('schedules a page, refuses a time that is over, and deletes it', async () => {
    const window = await open('pages/new');
    const { page } = window;
    const write = form(window, 'Write a page');
    await write.getByLabel('Title').fill('Terms');
    await write.getByLabel('Text', { exact: true }).fill('Be kind.');
    await write.getByLabel('State').selectOption('Scheduled');
    await write.getByLabel('Published at').fill('2001-01-01T10:00');
    await write.getByRole('button', { name: 'Save' }).click();
    await write.locator('.field').filter({ hasText: 'Published at' }).getByRole('alert').waitFor();
    await write.getByLabel('Published at').fill('2999-01-01T10:00');
    await write.getByRole('button', { name: 'Save' }).click();
    await form(window, 'Change the page').waitFor();
    await page.getByRole('link', { name: 'All pages' }).click();
    await page.getByRole('row').filter({ hasText: 'Terms' }).getByText('Scheduled').waitFor();
    expect((await first.get('/admin/blog/pages')).body.data).toMatchObject([
      { slug: 'terms', published_at: '2999-01-01T10:00:00.000Z' },
    ]);
    await window.confirm('Delete: Terms');
    await page.getByText('There are no pages yet.').waitFor();
  });

  it('publishes news, changes it, and takes it back', async () => {
    const window = await open('news/new');
    const { page } = window;
    const write = form(window, 'Publish news');
    await write.getByRole('button', { name: 'Save' }).click();
    await write.locator('.field').filter({ hasText: 'Headline' }).getByRole('alert').waitFor();
    await write.getByLabel('Headline').fill('Rain ahead');
    await write
      .getByLabel('Text', { exact: true })
      .fill('<p>Take <b onclick="alert(1)">umbrellas</b>.</p><script>alert(1)</script>');
    await preview(window).getByText('umbrellas').waitFor();
    expect(await preview(window).locator('script, [onclick]').count()).toBe(0);
    await write.getByLabel('Address of the whole text').fill('javascript:alert(1)');
    await write.getByRole('button', { name: 'Save' }).click();
    await write.locator('.field').filter({ hasText: 'Address' }).getByRole('alert').waitFor();
    await write.getByLabel('Address of the whole text').fill('https://news.example/rain');
    await write.getByRole('button', { name: 'Save' }).click();
    const change = form(window, 'Change the news');
    await change.getByLabel('Headline').fill('Rain tomorrow');
    await change.getByLabel('Address of the whole text').fill('');
    await change.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => {
      expect((await first.get('/news')).body.data).toMatchObject([
        { headline: 'Rain tomorrow', content: '<p>Take <b>umbrellas</b>.</p>', url: null },
      ]);
    });
    await page.getByRole('link', { name: 'All news' }).click();
    await page.getByText('This service follows no feeds').waitFor();
    await window.confirm('Delete: Rain tomorrow');
    await page.getByText('There is no news yet.').waitFor();
    expect((await first.get('/news')).body.data).toEqual([]);
  });

  it('takes images, refuses what is none, and deletes them', async () => {
    const window = await open('images');
    const { page } = window;
    const upload = form(window, 'Upload an image');
    const send = async (name: string, buffer: Buffer): Promise<void> => {
      await upload.getByLabel('Image').setInputFiles({ name, mimeType: 'image/png', buffer });
      await upload.getByRole('button', { name: 'Upload an image' }).click();
    };
    await send('page.png', Buffer.from('<html><script>alert(1)</script></html>'));
    await upload.locator('.field').getByRole('alert').waitFor();
    const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } });
    await send('rain.png', await picture.png().toBuffer());
    await upload.getByText('It is uploaded').waitFor();
    const { body } = await first.get('/admin/blog/images');
    await page.getByRole('row').filter({ hasText: body.data[0].url }).waitFor();
    await expectReadable(window, 'desk images');
    await window.confirm(`Delete: ${body.data[0].image_name}`);
    await page.getByText('There are no images yet.').waitFor();
    expect((await first.get('/admin/blog/images')).body.data).toEqual([]);
  });

  it('is readable for everybody, in all its parts', async () => {
    const markdown = `# Title\n\n| Side | Fee |\n|---|--:|\n| Maker | 0 |\n\n> Quoted\n\n${'long'.repeat(80)}`;
    const made = await first.post('/admin/blog/posts', { title: 'Readable', markdown });
    const window = await open('');
    await window.page.getByRole('link', { name: 'Readable' }).waitFor();
    await expectReadable(window, 'desk posts');
    await window.goTo(`desk/texts/posts/${made.body.post_id}`);
    await preview(window).getByRole('cell', { name: 'Maker' }).waitFor();
    await expectReadable(window, 'desk post');
    await window.goTo('desk/texts/news/new');
    await form(window, 'Publish news').waitFor();
    await expectReadable(window, 'desk news');
  });
});
