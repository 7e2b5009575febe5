import { ApiOkResponse } from '@nestjs/swagger';

/** Documents an answer that is text of this media type. */
export function ApiTextResponse(mediaType: string, description: string): MethodDecorator {
  return ApiOkResponse({ description, content: { [mediaType]: { schema: { type: 'string' } } } });
}
