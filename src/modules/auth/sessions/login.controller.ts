import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { VALIDATION_FAILED, RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { SECOND_FACTOR_REQUIRED } from '../errors.js';
import { INVALID_CREDENTIALS, USER_LOCKED } from '../../users/errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { BUDGETS, RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { readPresentedLogIn } from '../credentials/presented-password.js';
import { sessionOriginOf } from '../../../kit/http/session-origin.js';
import { SessionsService } from './sessions.service.js';

/** The Petstore counts calls by the hour. */
const READS_PER_HOUR = (BUDGETS.reads.points / BUDGETS.reads.windowS) * 3_600;

const SESSION_TOKEN = {
  description: 'The session token.',
  schema: { type: 'string' },
  headers: {
    'X-Rate-Limit': { $ref: '#/components/headers/X-Rate-Limit' },
    'X-Expires-After': { $ref: '#/components/headers/X-Expires-After' },
  },
} as const;

/** The Petstore's log-in. */
@ApiTags('Users')
@Controller('user/login')
export class LoginController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Log a user in
   * @remarks Answers an access token for 12 hours, as a JSON string. Send user name and password by HTTP
   * Basic for a session with every scope that the user may have. In the query, as the Petstore has it, they
   * give one without `admin`, `wallets:write`, `wallets:sign`, `banking:write` and `news:webhooks`; the
   * service logs no query, but what stands before it may. The query decides where both come. Users with a
   * second factor send a code of the authenticator app, or a recovery code, in `X-OTP`; a passkey logs in at
   * `POST /user/passkeys/log-in`.
   */
  @Get()
  @Public({ basic: 'user' })
  @Audited()
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @ApiQuery({ name: 'username', type: String, required: false, example: 'alice' })
  @ApiHeader({ name: 'X-OTP', required: false, schema: { type: 'string' }, example: '123456' })
  @ApiQuery({ name: 'password', type: String, required: false, example: 'alice-password' })
  @ApiOkResponse(SESSION_TOKEN)
  @ApiErrors(
    VALIDATION_FAILED,
    INVALID_CREDENTIALS,
    SECOND_FACTOR_REQUIRED.means(
      'the user has a second factor, and no code came in `X-OTP`, or a wrong one.',
    ),
    USER_LOCKED.means('told only for the right password.'),
    RATE_LIMITED.means('too many failures, or too many at once.'),
  )
  async logIn(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const { token, expiresAt } = await this.sessions.start(
      readPresentedLogIn(request),
      this.limits.addressBucketOf(request),
      sessionOriginOf(request),
    );
    response.setHeader('X-Rate-Limit', READS_PER_HOUR);
    response.setHeader('X-Expires-After', expiresAt.toISOString());
    // Nest would send a string as it is; the Petstore's clients read JSON.
    return JSON.stringify(token);
  }
}
