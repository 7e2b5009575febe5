import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, useLoaded, usePaged } from '../live.js';
import { Choice } from '../parts/field.jsx';
import { Outcome, useAction, useOwnKey } from '../parts/form.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { type Column, PagedTable, Table } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { DeliveryBadge } from './delivery-badge.jsx';

type Delivery = components['schemas']['WebhookDeliveryDto'];
type Attempt = components['schemas']['WebhookAttemptDto'];
type Status = Delivery['status'];

const W = words.settings.webhooks;

function columnsOf(webhookId: string): readonly Column<Delivery>[] {
  return [
    {
      title: W.delivery,
      cell: ({ delivery_id: id }) => <Link to={`settings/webhooks/${webhookId}/${id}`}>{id}</Link>,
    },
    { title: W.event, cell: ({ event_type: type }) => type },
    { title: W.status, cell: ({ status }) => <DeliveryBadge status={status} /> },
    { title: W.attempts, isNumber: true, isWide: true, cell: ({ attempts_made: made }) => made },
    { title: W.next, isWide: true, cell: ({ next_attempt_at: at }) => <Moment at={at} /> },
    { title: W.time, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
  ];
}

export function Deliveries({ webhookId }: { readonly webhookId: string }): JSX.Element {
  const [status, setStatus] = useState<Status | 'any'>('any');
  const pages = usePaged(`${webhookId} ${status}`, (cursor, signal) =>
    session.value.client.get('/news/webhooks/{webhook_id}/deliveries', {
      params: {
        path: { webhook_id: webhookId },
        query: { ...(status !== 'any' && { status }), ...after(cursor) },
      },
      signal,
    }),
  );
  return (
    <section class="panel">
      <div class="filters">
        <h2>{W.deliveries}</h2>
        <Choice
          label={W.status}
          value={status}
          options={{ any: W.anyStatus, ...W.statuses }}
          onChange={setStatus}
        />
        <button type="button" onClick={pages.reload}>
          {W.refresh}
        </button>
      </div>
      <PagedTable
        label={W.deliveries}
        columns={columnsOf(webhookId)}
        pages={pages}
        none={W.noDeliveries}
        keyOf={({ delivery_id: id }) => id}
      />
    </section>
  );
}

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: W.attempt, cell: ({ number }) => number },
  { title: W.time, cell: ({ started_at: at }) => <Moment at={at} /> },
  {
    title: W.answer,
    cell: ({ response_status: status, response_body: body, error }) => (
      <>
        {status ?? error} {body !== null && body !== '' && <code>{body}</code>}
      </>
    ),
  },
  {
    title: W.duration,
    isNumber: true,
    isWide: true,
    cell: ({ duration_ms: milliseconds }) => W.ms({ milliseconds }),
  },
];

interface OneDeliveryProps {
  readonly webhookId: string;
  readonly deliveryId: string;
}

/** What was sent, every attempt, and another one. */
export function OneDelivery({ webhookId, deliveryId }: OneDeliveryProps): JSX.Element {
  const params = { path: { webhook_id: webhookId, delivery_id: deliveryId } };
  const { client } = session.value;
  const loaded = useLoaded(deliveryId, (signal) =>
    client.get('/news/webhooks/{webhook_id}/deliveries/{delivery_id}', { params, signal }),
  );
  const action = useAction();
  const key = useOwnKey(deliveryId);
  const resend = async (): Promise<string> => {
    await client.post('/news/webhooks/{webhook_id}/deliveries/{delivery_id}/resend', {
      params,
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    loaded.reload();
    return W.resent;
  };
  return (
    <section class="panel">
      <Link to={`settings/webhooks/${webhookId}`}>{W.deliveries}</Link>
      <WhenLoaded of={loaded}>
        {({ event_type: type, status, payload, attempts }) => (
          <>
            <div class="row">
              <h2>
                {type} {deliveryId}
              </h2>
              <DeliveryBadge status={status} />
            </div>
            <div class="filters">
              <button type="button" disabled={action.isBusy} onClick={() => void action.run(resend)}>
                {W.resend}
              </button>
              <button type="button" onClick={loaded.reload}>
                {W.refresh}
              </button>
            </div>
            <Outcome of={action} />
            <h3>{W.payload}</h3>
            <code>{payload}</code>
            <h3>{W.attempts}</h3>
            {attempts.length === 0 ? (
              <p class="empty">{W.noAttempts}</p>
            ) : (
              <Table
                label={W.attempts}
                columns={ATTEMPTS}
                rows={attempts}
                keyOf={({ number, started_at: at }) => `${number} ${at}`}
              />
            )}
          </>
        )}
      </WhenLoaded>
    </section>
  );
}
