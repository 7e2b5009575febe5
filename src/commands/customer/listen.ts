import { setTimeout as delay } from 'node:timers/promises';
import { styleText } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { ApiCalls } from './api-calls.js';
import { customerCommand, type Output } from './customer-command.js';

const LOOK_EVERY_MS = 500;
const FORWARD_MS_MAX = 15_000;

interface Event {
  readonly event_id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: object;
}

interface Events {
  readonly data: readonly Event[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

interface Registered {
  readonly webhook_id: string;
  readonly secret: string;
}

export const listen = customerCommand({
  name: 'listen',
  summary: 'shows events as they happen, or sends them on to an address of yours',
  takes: '[TYPES]',
  usage: `Hears of the types of events, with commas between, or of all news, by a webhook that is pulled and deleted at the end
(Ctrl+C). Example: tradepost listen order.filled,order.canceled --to http://localhost:4000/hooks

  --to URL      posts each there, signed as a webhook's deliveries are; the secret is shown first
`,
  options: { to: { type: 'string' } },
  async run(calls, [types], { to }, out) {
    const webhook = await calls.post<Registered>('/news/webhooks', {
      ...(types !== undefined && { event_types: types.split(',') }),
    });
    const ending = new AbortController();
    const end = (): void => ending.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    process.stderr.write(
      to === undefined ? 'Listening.\n' : `Sending to ${to}, signed by ${webhook.secret}\n`,
    );
    try {
      await follow(calls, webhook, { to, out, signal: ending.signal });
    } finally {
      process.off('SIGINT', end).off('SIGTERM', end);
      await calls.delete(`/news/webhooks/${webhook.webhook_id}`);
    }
  },
});

interface Following {
  readonly to: string | undefined;
  readonly out: Output;
  readonly signal: AbortSignal;
}

/** Until the signal. */
async function follow(
  calls: ApiCalls,
  { webhook_id: id, secret }: Registered,
  { to, out, signal }: Following,
): Promise<void> {
  let cursor: string | null = null;
  while (!signal.aborted) {
    const query = new URLSearchParams(cursor === null ? [] : [['cursor', cursor]]);
    const page: Events = await calls.get<Events>(`/news/webhooks/${id}/events`, query);
    for (const event of page.data) {
      const status = to === undefined ? undefined : await forward(event, to, secret);
      out.show({ ...event, ...(status !== undefined && { forwarded: status }) }, () =>
        [
          styleText('dim', event.timestamp),
          styleText('bold', event.type),
          ...(status === undefined ? [] : [`→ ${status}`]),
          JSON.stringify(event.data),
        ].join('  '),
      );
    }
    cursor = page.next_cursor;
    if (!page.has_more) await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The status of the answer, or why there was none. */
async function forward(
  { event_id: id, ...event }: Event,
  to: string,
  secret: string,
): Promise<number | string> {
  const body = JSON.stringify(event);
  const now = new Date();
  try {
    const answer = await fetch(to, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(id, now, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_MS_MAX),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch (error) {
    return (error as { readonly cause?: { readonly code?: string } }).cause?.code ?? (error as Error).message;
  }
}
