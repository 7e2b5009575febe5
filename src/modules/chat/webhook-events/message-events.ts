import { WebhookEventType } from '../../../kit/webhooks/webhook-event-type.js';
import { MessageDto } from '../records/message.dto.js';
import { CHAT_READ } from '../scopes.js';

/** The webhook events of the chat. */
export const MESSAGE_NEW = new WebhookEventType({
  name: 'message.new',
  description:
    'A message was written in a room of the chat that one is a member of, unless one has muted its notifications.',
  data: MessageDto,
  scope: CHAT_READ,
});

/** The key under which the event of a message is published. */
export function messageEventKeyOf(messageId: string): string {
  return `${MESSAGE_NEW.name}:${messageId}`;
}
