import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { HostNames } from '../../../src/kit/outgoing/host-names.js';
import { WebhookTiming } from '../../../src/modules/webhooks/delivery/webhook-timing.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { eventually } from '../../support/eventually.js';

const PUBLIC = '93.184.215.14';

/** The addresses of names in these tests; other names do not exist. */
const NAMES: Record<string, readonly string[]> = {
  'public.example': [PUBLIC, '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'private.example': ['10.0.0.8'],
  'loopback.example': ['::1'],
  'both.example': [PUBLIC, '192.168.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'sixtofour.example': ['2002:7f00:1::1'],
};

describe('the address of a webhook', () => {
  let service: TestApp;
  let receiver: WebhookReceiver;
  let demo: Caller;
  let operator: Caller;
  beforeAll(async () => {
    service = await startTestApp();
    receiver = await WebhookReceiver.start();
    [demo, operator] = await Promise.all([callerFor(service.url, 'demo'), callerFor(service.url, 'admin')]);
    vi.spyOn(service.app.nest.get(HostNames), 'addressesOf').mockImplementation((name) => {
      const addresses = NAMES[name];
      if (addresses === undefined) return Promise.reject(new Error(`no such name: ${name}`));
      return Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    });
    vi.spyOn(service.app.nest.get(WebhookTiming, { strict: false }), 'pauseMs').mockImplementation((step) =>
      step < 2 ? 0 : null,
    );
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await service.close();
    await receiver.close();
  });

  it.each([
    ['http://public.example/', 'plain http'],
    ['ftp://public.example/', 'another scheme'],
    ['https://', 'no host'],
    ['//public.example/', 'no scheme'],
  ])('cannot be %s: %s', async (url) => {
    expect(await demo.post('/news/webhooks', { url })).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed', details: [{ field: 'url' }] } },
    });
  });

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://192.0.2.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://localhost/',
    'https://private.example/',
    'https://loopback.example/',
    'https://both.example/',
    'https://metadata.example/',
    'https://mapped.example/',
    'https://nat64.example/',
    'https://sixtofour.example/',
    'https://nobody.example/',
    'https://１２７.0.0.1/',
  ])('cannot be %s', async (url) => {
    expect(await demo.post('/news/webhooks', { url })).toMatchObject({
      status: 422,
      body: { error: { code: 'destination_not_allowed' } },
    });
  });

  it.each([
    ['a private one', ['127.0.0.1']],
    ['a private one beside the public one', [PUBLIC, '127.0.0.1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
  ])('is looked at again when the connection is made, when its name leads to %s', async (_what, later) => {
    NAMES['rebound.example'] = [PUBLIC];
    const url = `https://rebound.example:${receiver.port}/`;
    const { status, body } = await demo.post('/news/webhooks', { url, event_types: ['news.published'] });
    expect(status).toBe(201);
    NAMES['rebound.example'] = later;
    await operator.post('/admin/news', { headline: 'The name has another address now' });
    const connections = vi.fn();
    receiver.onConnection(connections);
    const delivery = await eventually(async () => {
      const list = await demo.get(`/news/webhooks/${body.webhook_id}/deliveries?status=failed`);
      expect(list.body.data).toHaveLength(1);
      return list.body.data[0];
    });
    const address = `/news/webhooks/${body.webhook_id}/deliveries/${delivery.delivery_id}`;
    const { attempts } = (await demo.get(address)).body;
    expect(attempts).toHaveLength(2);
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({
        response_status: null,
        error: expect.stringContaining('not on the public Internet'),
      });
    }
    expect(connections).not.toHaveBeenCalled();
    await demo.delete(`/news/webhooks/${body.webhook_id}`);
  });
});
