import { Headers } from '@nestjs/common';
import { ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import { documented } from '../http/documenting-route.js';

/** Documents the answer of a route that is an event stream. */
export function ApiEventStreamResponse(): MethodDecorator {
  return ApiOkResponse({
    description: 'Events until either side hangs up.',
    content: { 'text/event-stream': {} },
  });
}

/** What a client that comes back got last, and `undefined` from others. */
export function LastEventId(description: string): ParameterDecorator {
  return documented(
    Headers('last-event-id'),
    ApiHeader({ name: 'Last-Event-ID', required: false, description }),
  );
}
