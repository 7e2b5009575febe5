import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { userMadeBy } from '../e2e/admin/approvals-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let receiver: WebhookReceiver;
let alice: UserCaller;

describe.runIf(hasBrowser)('the desk’s webhooks', () => {
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    world = await ConsoleWorld.start({
      seedDemo: false,
      webhookAllowPrivate: true,
      bootstrapAdmins: [{ username: 'first', password: 'first-password' }],
    });
    alice = await userMadeBy(world.app, await logIn(world.app, 'first'), 'alice');
  });
  afterEach(() => world.closeWindows());
  afterAll(async () => {
    await world?.close();
    await receiver.close();
  });

  it('show which fail, whose they are, and what their receivers answer', async () => {
    receiver.answer = () => ({ status: 503 });
    const good = await alice.post('/news/webhooks', { url: receiver.url('/quiet') });
    const bad = await alice.post('/news/webhooks', { url: receiver.url('/<b>broken</b>') });
    const { webhook_id: id } = bad.body;
    expect((await alice.post(`/news/webhooks/${id}/test`, {})).status).toBe(201);
    await eventually(async () => {
      expect((await alice.get(`/news/webhooks/${id}`)).body.failing_since).not.toBeNull();
    });
    const window = await world.openAs('first', 'desk/webhooks', 'Webhooks');
    const { page } = window;
    const rows = page.getByRole('row').filter({ hasText: receiver.url() });
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.textContent()).toContain('Failing');
    await window.field('State').selectOption('Active');
    await rows.filter({ hasText: 'quiet' }).waitFor();
    await window.field('State').selectOption('All');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await page.content()).not.toContain(good.body.secret);
    await expectReadable(window, 'desk webhooks');

    await rows.filter({ hasText: 'broken' }).getByRole('link').click();
    const delivery = page.getByRole('row').filter({ hasText: 'webhook.test' });
    await delivery.getByText('503').waitFor();
    await delivery.getByText('Failed').waitFor();
    await expectReadable(window, 'desk deliveries');
    await window.field('State').selectOption('Delivered');
    await page.getByText('Nothing like this was sent in the last 30 days.').waitFor();
  });

  it('are not shown to customers', async () => {
    const { page } = await world.openAs('alice', 'desk/webhooks', 'Webhooks');
    await page.getByText('This page is for operators.').waitFor();
    expect((await alice.get('/admin/webhooks')).status).toBe(403);
  });
});
