import { WebhookEventType, type WebhookEventDeclaration } from './webhook-event-type.js';

/** One event type for each status of a thing, named `group.status`. */
export function statusEvents<Status extends string, Data extends object>(
  group: string,
  common: Pick<WebhookEventDeclaration<Data>, 'data' | 'scope'>,
  descriptions: Readonly<Record<Status, string>>,
): Readonly<Record<Status, WebhookEventType<Data>>> {
  const types = Object.entries<string>(descriptions).map(([status, description]) => [
    status,
    new WebhookEventType<Data>({ ...common, name: `${group}.${status}`, description }),
  ]);
  return Object.fromEntries(types) as Record<Status, WebhookEventType<Data>>;
}
