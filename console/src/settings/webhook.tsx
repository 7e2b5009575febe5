import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Form, Outcome, useAction, useOwnKey } from '../parts/form.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { Secret } from '../parts/secret.jsx';
import { Moment } from '../parts/time.jsx';
import { Link, navigate } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { Deliveries } from './deliveries.jsx';
import { EventTypes } from './event-types.jsx';
import { WebhookState } from './webhook-state.jsx';

type Webhook = components['schemas']['WebhookDto'];

const W = words.settings.webhooks;

export function OneWebhook({ webhookId }: { readonly webhookId: string }): JSX.Element {
  const loaded = useLoaded(webhookId, (signal) =>
    session.value.client.get('/news/webhooks/{webhook_id}', {
      params: { path: { webhook_id: webhookId } },
      signal,
    }),
  );
  // A test adds a delivery.
  const [tests, setTests] = useState(0);
  return (
    <>
      <Link to="settings/webhooks">{W.all}</Link>
      <WhenLoaded of={loaded}>
        {(webhook) => (
          <>
            <Facts webhook={webhook} reload={loaded.reload} onTested={() => setTests(tests + 1)} />
            <Events key={webhook.updated_at} webhook={webhook} reload={loaded.reload} />
          </>
        )}
      </WhenLoaded>
      <Deliveries key={tests} webhookId={webhookId} />
    </>
  );
}

interface WebhookProps {
  readonly webhook: Webhook;
  readonly reload: () => void;
}

function Facts({ webhook, reload, onTested }: WebhookProps & { readonly onTested: () => void }): JSX.Element {
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const action = useAction();
  const key = useOwnKey(webhook.webhook_id);
  const { client } = session.value;
  const params = { path: { webhook_id: webhook.webhook_id } };
  const change = async (): Promise<string> => {
    await client.patch('/news/webhooks/{webhook_id}', { params, body: { disabled: !webhook.disabled } });
    reload();
    return W.changed;
  };
  const test = async (): Promise<string> => {
    await client.post('/news/webhooks/{webhook_id}/test', {
      params,
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    onTested();
    return W.tested;
  };
  return (
    <section class="panel">
      <div class="row">
        <h2>{webhook.url ?? webhook.webhook_id}</h2>
        <WebhookState of={webhook} />
      </div>
      {webhook.failing_since !== null && (
        <p>
          {W.failingSince} <Moment at={webhook.failing_since} />
        </p>
      )}
      <div class="filters">
        <button type="button" disabled={action.isBusy} onClick={() => void action.run(change)}>
          {webhook.disabled ? W.enable : W.disable}
        </button>
        <button type="button" disabled={action.isBusy} onClick={() => void action.run(test)}>
          {W.test}
        </button>
        <Confirm
          label={W.rotate}
          what={W.rotateWhat}
          work={async () =>
            setSecret((await client.post('/news/webhooks/{webhook_id}/secret', { params })).secret)
          }
          onDone={reload}
        />
        <Confirm
          label={words.settings.delete}
          what={W.deleteWhat}
          work={() => client.delete('/news/webhooks/{webhook_id}', { params })}
          onDone={() => navigate('settings/webhooks')}
        />
      </div>
      <Outcome of={action} />
      {secret !== undefined && <Secret label={W.made} value={secret} />}
    </section>
  );
}

function Events({ webhook, reload }: WebhookProps): JSX.Element {
  const [types, setTypes] = useState<readonly string[]>(webhook.event_types);
  const action = useAction(['event_types']);
  const save = async (): Promise<string> => {
    await session.value.client.patch('/news/webhooks/{webhook_id}', {
      params: { path: { webhook_id: webhook.webhook_id } },
      body: { event_types: [...types] },
    });
    reload();
    return W.saved;
  };
  return (
    <section class="panel">
      <h2>{W.events}</h2>
      <Form label={W.events} submit={W.save} action={action} onSubmit={() => void action.run(save)}>
        <EventTypes chosen={types} onChange={setTypes} error={action.errors['event_types']} />
      </Form>
    </section>
  );
}
