import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiHeaders, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { NOT_FOUND, CONFLICT, PAYLOAD_TOO_LARGE } from '../../../kit/http/error-codes.js';
import { INVALID_CREDENTIALS } from '../../users/errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { KycCallbacks } from './kyc-callbacks.js';
import { KycCallbackReceivedDto } from './kyc.dto.js';

const SIGNATURE = [
  { name: 'webhook-signature', required: true, example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' },
  { name: 'webhook-timestamp', required: true, example: '1763726400' },
  { name: 'webhook-id', required: true, example: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' },
];
const MESSAGE = {
  type: 'object',
  description: 'JSON in the provider’s own form, of at most 100 KB.',
  example: { reference: 'kyc_00000000001', outcome: 'passed' },
};

/** Where outside KYC providers call back. The signature is the credential. */
@ApiTags('Banking')
@Controller('kyc-callbacks')
export class KycCallbacksController {
  constructor(private readonly callbacks: KycCallbacks) {}

  /**
   * Take a message of an outside KYC provider
   * @remarks Signed as [Standard Webhooks](https://www.standardwebhooks.com) are: an HMAC-SHA256 over id,
   * timestamp and the body to the byte. Taken for five minutes, and once.
   */
  @Post(':provider')
  @HttpCode(200)
  @Public()
  @ApiHeaders(SIGNATURE)
  @ApiBody({ schema: MESSAGE })
  @ApiErrors(
    INVALID_CREDENTIALS.means('the signature is wrong, missing or too old.'),
    NOT_FOUND.means('no such provider, or no case of this reference.'),
    CONFLICT.means('the message was taken before.'),
    PAYLOAD_TOO_LARGE,
  )
  async receive(
    @Param('provider') provider: string,
    @Req() request: Request,
  ): Promise<KycCallbackReceivedDto> {
    await this.callbacks.receive(provider, request);
    return { received: true };
  }
}
