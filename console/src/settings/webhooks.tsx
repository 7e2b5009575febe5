import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { Form, TextField, useAction } from '../parts/form.jsx';
import { Secret } from '../parts/secret.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { Link, type PageProps } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { OneDelivery } from './deliveries.jsx';
import { EventTypes } from './event-types.jsx';
import { OneWebhook } from './webhook.jsx';
import { WebhookState } from './webhook-state.jsx';

type Webhook = components['schemas']['WebhookDto'];

const W = words.settings.webhooks;

/** All of them, one of them, or a delivery to one. */
export function Webhooks({ rest: [webhookId, deliveryId] }: PageProps): JSX.Element {
  if (webhookId === undefined) return <AllWebhooks />;
  if (deliveryId === undefined) return <OneWebhook webhookId={webhookId} />;
  return <OneDelivery webhookId={webhookId} deliveryId={deliveryId} />;
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: W.address,
    class: 'address',
    cell: ({ webhook_id: id, url }) => <Link to={`settings/webhooks/${id}`}>{url ?? id}</Link>,
  },
  { title: W.state, cell: (webhook) => <WebhookState of={webhook} /> },
  { title: W.events, isWide: true, cell: ({ event_types: types }) => types.join(', ') },
  { title: words.settings.created, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
];

function AllWebhooks(): JSX.Element {
  const pages = usePaged('webhooks', (cursor, signal) =>
    session.value.client.get('/news/webhooks', {
      params: { query: after(cursor) },
      signal,
    }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.title}</h2>
        <PagedTable
          label={W.title}
          columns={COLUMNS}
          pages={pages}
          none={W.none}
          keyOf={({ webhook_id: id }) => id}
        />
      </section>
      <NewWebhook onMade={pages.reload} />
    </>
  );
}

function NewWebhook({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const [url, setUrl] = useState('');
  const [types, setTypes] = useState<readonly string[]>([]);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const action = useAction(['url', 'event_types']);
  const make = async (): Promise<void> => {
    setSecret(undefined);
    const isDone = await action.run(async () => {
      const body = { url, event_types: [...types] };
      setSecret((await session.value.client.post('/news/webhooks', { body })).secret);
      return undefined;
    });
    if (!isDone) return;
    setUrl('');
    setTypes([]);
    onMade();
  };
  return (
    <section class="panel">
      <h2>{W.make}</h2>
      <Form label={W.make} submit={W.make} action={action} onSubmit={() => void make()}>
        <TextField
          label={W.address}
          type="url"
          value={url}
          onChange={setUrl}
          error={action.errors['url']}
          hint="https://…"
        />
        <EventTypes chosen={types} onChange={setTypes} error={action.errors['event_types']} />
      </Form>
      {secret !== undefined && <Secret label={W.made} value={secret} />}
    </section>
  );
}
