import { applyDecorators } from '@nestjs/common';
import { ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';

const PARAMETERS: readonly ApiQueryOptions[] = [
  { name: 'response_type', schema: { type: 'string', enum: ['code', 'token'], example: 'token' } },
  { name: 'client_id', schema: { type: 'string', example: 'petstore-ui' } },
  {
    name: 'redirect_uri',
    description:
      'Exactly as it is registered. For a code of a client without a secret the port of a loopback address is free.',
    schema: { type: 'string', example: 'http://127.0.0.1:3000/docs/oauth2-redirect.html' },
  },
  {
    name: 'scope',
    required: false,
    description: 'Separated by spaces; without it, all that the client may have.',
    schema: { type: 'string', example: 'read:pets' },
  },
  { name: 'state', required: false, description: 'Comes back as it is.', schema: { type: 'string' } },
  {
    name: 'code_challenge',
    required: false,
    description: 'Needed for a code (RFC 7636).',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
  },
  {
    name: 'code_challenge_method',
    required: false,
    description: 'Needed for a code.',
    schema: { type: 'string', enum: ['S256'] },
  },
  {
    name: 'prompt',
    required: false,
    description: '`login` or `select_account` to log in again; with `none`, a refusal instead of any page.',
    schema: { type: 'string' },
  },
  {
    name: 'ui_locales',
    required: false,
    description:
      'Languages of the pages, the dearest first, with spaces between; what the person has chosen comes before.',
    schema: { type: 'string' },
  },
];

/** Documents the parameters of an authorization request; `Authorizations` reads them. */
export function ApiAuthorizeParameters(): MethodDecorator {
  return applyDecorators(...PARAMETERS.map((parameter) => ApiQuery(parameter)));
}
