import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { AnyEventType } from './webhook-event-type.js';

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;

/** The headers of every delivery, as Standard Webhooks defines them. */
const HEADERS = [
  {
    name: 'webhook-id',
    description: 'The id of the event, the same at every attempt: take what comes twice once.',
    example: 'evt_0000000001C',
  },
  {
    name: 'webhook-timestamp',
    description: 'When this attempt was made, in seconds since 1970. Refuse what is older than five minutes.',
    example: '1763726400',
  },
  {
    name: 'webhook-signature',
    description:
      'HMAC-SHA256 over id, timestamp and body, joined by dots, under the secret of the webhook: `v1,` and base64. After a rotation of the secret two of them, for a day, with a space between.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
];

const HOW_IT_IS_DELIVERED = `Answer with any 2xx within 15 seconds. Whatever else comes of it, a redirect included, is a failure, and the event comes again over three days; \`Retry-After\` is honoured. 410 disables the webhook, and so do days of failure. Events may come twice, and in any order. Verify them as [Standard Webhooks](https://www.standardwebhooks.com) has it.`;

/** The catalogue of events, as `webhooks` of the OpenAPI document. The classes of their data must be among its models. */
export function describeWebhooks(types: readonly AnyEventType[], tag: string): Webhooks {
  return Object.fromEntries(types.map((type) => [type.name, { post: operationOf(type, tag) }]));
}

function operationOf({ name, scope, declaration: { description, data } }: AnyEventType, tag: string) {
  const needed = scope === undefined ? '' : ` To be registered for by who has the scope \`${scope}\`.`;
  return {
    operationId: `on${pascalCase(name)}`,
    tags: [tag],
    summary: description,
    description: `${HOW_IT_IS_DELIVERED}${needed}`,
    security: [],
    parameters: HEADERS.map((header) => ({
      ...header,
      in: 'header' as const,
      required: true,
      schema: { type: 'string' as const },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['type', 'timestamp', 'data'],
            properties: {
              type: { type: 'string', enum: [name], example: name },
              timestamp: {
                type: 'string',
                format: 'date-time',
                description: 'When it happened.',
                example: '2026-11-21T12:00:00.000Z',
              },
              data: { $ref: getSchemaPath(data) },
            },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'Received.' },
      '410': { description: 'The receiver is gone: nothing is sent to it any more.' },
    },
  };
}

/** `OrderFilled` for `order.filled`. */
function pascalCase(name: string): string {
  return name
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
