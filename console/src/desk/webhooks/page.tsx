import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../../live.js';
import { Choice } from '../../parts/field.jsx';
import { TextField } from '../../parts/form.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link, type PageProps } from '../../router.jsx';
import { session } from '../../session.js';
import { DeliveryBadge } from '../../settings/delivery-badge.jsx';
import { WebhookState } from '../../settings/webhook-state.jsx';
import { words } from '../../words/index.js';

type Schemas = components['schemas'];
type Webhook = Schemas['OperatorWebhookDto'];
type Delivery = Schemas['OperatorWebhookDeliveryDto'];

const W = words.deskWebhooks;
const D = words.settings.webhooks;

/** The webhooks of all owners, or how the deliveries to one of them go. */
export function WebhookDesk({ rest: [webhookId] }: PageProps): JSX.Element {
  return webhookId === undefined ? <AllWebhooks /> : <Deliveries key={webhookId} webhookId={webhookId} />;
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: W.address,
    class: 'address',
    cell: ({ webhook_id: id, url }) => <Link to={`desk/webhooks/${id}`}>{url ?? id}</Link>,
  },
  { title: W.owner, cell: ({ owner }) => owner },
  { title: W.state, cell: (webhook) => <WebhookState of={webhook} /> },
  {
    title: W.since,
    isWide: true,
    cell: ({ disabled_at: disabled, failing_since: failing }) => <Moment at={disabled ?? failing} />,
  },
  {
    title: W.why,
    isWide: true,
    cell: ({ disabled_reason: reason }) => (reason === null ? '' : W.reasons[reason]),
  },
  { title: W.events, isWide: true, cell: ({ event_types: types }) => types.join(', ') },
];

function AllWebhooks(): JSX.Element {
  const [state, setState] = useState<keyof typeof W.states | 'any'>('failing');
  const [owner, setOwner] = useState('');
  const query = { ...(state !== 'any' && { state }), ...(owner !== '' && { owner }) };
  const pages = usePaged(`${state} ${owner}`, (cursor, signal) =>
    session.value.client.get('/admin/webhooks', {
      params: { query: { ...query, ...after(cursor) } },
      signal,
    }),
  );
  return (
    <section class="panel">
      <div class="filters">
        <Choice
          label={W.state}
          value={state}
          options={{ any: words.desk.all, ...W.states }}
          onChange={setState}
        />
        <TextField
          label={W.owner}
          type="search"
          value={owner}
          onChange={(text) => setOwner(text.trim())}
          hint={W.ownerHint}
        />
      </div>
      <PagedTable
        label={W.title}
        columns={COLUMNS}
        pages={pages}
        none={W.none}
        keyOf={({ webhook_id: id }) => id}
      />
    </section>
  );
}

const DELIVERIES: readonly Column<Delivery>[] = [
  { title: D.time, cell: ({ created_at: at }) => <Moment at={at} /> },
  { title: D.event, isWide: true, cell: ({ event_type: type }) => type },
  { title: D.status, cell: ({ status }) => <DeliveryBadge status={status} /> },
  { title: D.attempts, isNumber: true, isWide: true, cell: ({ attempts_made: made }) => made },
  {
    title: W.answer,
    cell: ({ last_response_status: status, last_error: error }) => error ?? status ?? '',
  },
  { title: D.next, isWide: true, cell: ({ next_attempt_at: at }) => <Moment at={at} /> },
];

function Deliveries({ webhookId }: { readonly webhookId: string }): JSX.Element {
  const [status, setStatus] = useState<Delivery['status'] | 'any'>('any');
  const pages = usePaged(`${webhookId} ${status}`, (cursor, signal) =>
    session.value.client.get('/admin/webhooks/{webhook_id}/deliveries', {
      params: {
        path: { webhook_id: webhookId },
        query: { ...(status !== 'any' && { status }), ...after(cursor) },
      },
      signal,
    }),
  );
  return (
    <>
      <Link to="desk/webhooks">{W.all}</Link>
      <section class="panel">
        <div class="filters">
          <h2>{W.deliveries}</h2>
          <Choice
            label={D.status}
            value={status}
            options={{ any: D.anyStatus, ...D.statuses }}
            onChange={setStatus}
          />
        </div>
        <PagedTable
          label={W.deliveries}
          columns={DELIVERIES}
          pages={pages}
          none={W.noDeliveries}
          keyOf={({ delivery_id: id }) => id}
        />
      </section>
    </>
  );
}
