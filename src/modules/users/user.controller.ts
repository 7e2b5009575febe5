import { Body, Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { ApprovalDto } from '../../kit/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../kit/approvals/proposed.js';
import { Audited } from '../../kit/audit/audited.js';
import {
  VALIDATION_FAILED,
  FORBIDDEN,
  CONFLICT,
  RATE_LIMITED,
  NOT_FOUND,
  STEP_UP_REQUIRED,
} from '../../kit/http/error-codes.js';
import {
  USERNAME_TAKEN,
  INVALID_CREDENTIALS,
  REAUTHENTICATION_REQUIRED,
  ACCOUNT_NOT_EMPTY,
} from './errors.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { BatchBody } from '../../kit/http/body-policy.js';
import { Idempotent } from '../../kit/http/idempotency/idempotent.js';
import { RateLimits } from '../../kit/rate-limit/rate-limits.js';
import { Authenticated } from '../../kit/security/credential-policy.js';
import { needsStepUp } from '../../kit/security/step-up.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import { PresentedToken } from '../../kit/security/presented-token.js';
import type { Principal } from '../../kit/security/principal.js';
import { PasswordChanges } from './password-changes.service.js';
import { NewUsersPipe, USERS_AT_ONCE_MAX } from './new-users.pipe.js';
import { CHANGES_USERS, SEES_USERS } from './user-access.js';
import { UserManagementService } from './user-management.service.js';
import { UserRegistrationService } from './user-registration.service.js';
import { ChangePasswordDto, CreateUserDto, UpdateUserDto, UserDto } from './user.dto.js';
import { Username } from './username.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user, or an operator.');
const TOO_MANY = RATE_LIMITED.means(
  '20 users an hour, with those whom they make in turn, unless an operator makes them.',
);
const CLOSING_STEP_UP = STEP_UP_REQUIRED.means(
  'for oneself, a session whose user logged in or proved to be there over five minutes ago; see `POST /user/step-up`.',
);
const NO_NAME = VALIDATION_FAILED.means('nobody could be called so.');
const NO_USER = NOT_FOUND.means('there is no such user, or it is somebody else.');

/** The Petstore's users. Each is seen and changed by its own session and by operators alone. */
@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users', operators: CHANGES_USERS })
@Controller('user')
export class UserController {
  constructor(
    private readonly registration: UserRegistrationService,
    private readonly management: UserManagementService,
    private readonly passwords: PasswordChanges,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Create a user
   * @remarks By any logged-in user, or an operator. Who made it is remembered. The new user gets a trading
   * account.
   */
  @Post()
  @HttpCode(200)
  @Audited()
  @Idempotent()
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    USERNAME_TAKEN.means('also by a user who is closed now.'),
    TOO_MANY,
  )
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateUserDto): Promise<UserDto> {
    return this.registration.register(principal, [body], firstOf);
  }

  /** Create users with an array */
  @Post('createWithArray')
  @HttpCode(200)
  @Audited({ sometimes: true })
  @Idempotent()
  @BatchBody()
  @ApiOperation({ description: `Up to ${USERS_AT_ONCE_MAX}, all or none. Answers them all, in their order.` })
  @ApiBody({ type: [CreateUserDto], examples: examplesOf('dave', 'erin') })
  @ApiErrors(VALIDATION_FAILED, NOT_ALLOWED, USERNAME_TAKEN.means('none was made.'), TOO_MANY)
  createWithArray(
    @CurrentPrincipal() principal: Principal,
    @Body(NewUsersPipe) body: CreateUserDto[],
  ): Promise<UserDto[]> {
    return this.registration.register(principal, body, (users) => [...users]);
  }

  /** Create users with a list */
  @Post('createWithList')
  @HttpCode(200)
  @Audited({ sometimes: true })
  @Idempotent()
  @BatchBody()
  @ApiOperation({
    description: `Up to ${USERS_AT_ONCE_MAX}, all or none. Answers the first, as the Petstore does.`,
  })
  @ApiBody({ type: [CreateUserDto], examples: examplesOf('frank', 'grace') })
  @ApiErrors(VALIDATION_FAILED, NOT_ALLOWED, USERNAME_TAKEN.means('none was made.'), TOO_MANY)
  createWithList(
    @CurrentPrincipal() principal: Principal,
    @Body(NewUsersPipe) body: CreateUserDto[],
  ): Promise<UserDto> {
    return this.registration.register(principal, body, firstOf);
  }

  /**
   * Change one’s own password
   * @remarks It takes the present one, whatever session asks. All other sessions of the user end, and what
   * the user has let clients do.
   */
  @Post('password')
  @Authenticated({ callers: 'logged_in_users' })
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'The password is changed.' })
  @ApiErrors(
    VALIDATION_FAILED,
    INVALID_CREDENTIALS.means('the present password is another one.'),
    FORBIDDEN.means('it takes the session of a logged-in user.'),
    needsStepUp('Of who has a second factor.'),
    CONFLICT.means('another change came first, or the user logs in elsewhere and has no password.'),
    RATE_LIMITED.means('too many failures, or too many changes.'),
  )
  changePassword(
    @CurrentPrincipal() principal: Principal,
    @Body() body: ChangePasswordDto,
    @Req() request: Request,
    @PresentedToken() presentedToken?: string,
  ): Promise<void> {
    const addressBucket = this.limits.addressBucketOf(request);
    return this.passwords.change(principal, body, { presentedToken, addressBucket });
  }

  /** Get a user by username */
  @Get(':username')
  @Authenticated({ callers: 'logged_in_users', operators: SEES_USERS })
  @ApiErrors(NO_NAME, NOT_ALLOWED, NO_USER)
  get(@CurrentPrincipal() principal: Principal, @Username() username: string): Promise<UserDto> {
    return this.management.get(principal, username);
  }

  /**
   * Update a user
   * @remarks What is left out stays as it is. Another password needs a session that was logged in by HTTP
   * Basic or a passkey within ten minutes, and ends all other sessions and grants of the user. With `FOUR_EYES`, a new
   * password of another operator is a proposal, together with the rest of the change. Another `email` of one’s own
   * is sent a link that verifies it, see `GET /user/email`.
   */
  @Put(':username')
  @Audited({ sometimes: true })
  @ApiOkResponse({ type: UserDto })
  @ApiProposed()
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    REAUTHENTICATION_REQUIRED.means('another password needs a log-in; see `POST /user/password`.'),
    needsStepUp('For another password, or another `email` of one’s own.'),
    NO_USER,
    CONFLICT.means('another change of the password came first, or the user logs in elsewhere and has none.'),
  )
  async update(
    @CurrentPrincipal() principal: Principal,
    @Username() username: string,
    @Body() body: UpdateUserDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @PresentedToken() presentedToken?: string,
  ): Promise<UserDto | ApprovalDto> {
    const origin = { presentedToken, addressBucket: this.limits.addressBucketOf(request) };
    return answerProposable(response, await this.management.update(principal, username, body, origin));
  }

  /**
   * Delete a user
   * @remarks The user is closed: personal fields are erased, sessions, clients and API keys end at once,
   * open orders are cancelled, and the name is never given again. Whoever closes oneself takes the money out before
   * (409 `account_not_empty` lists what is left), since nobody can log in for it afterwards; of a user whom an operator
   * closes, the account stays with its money and its history. Soon after, messages, webhooks, names
   * of wallets and exports are erased too; KYC records and bank accounts are kept for `KYC_RETENTION_DAYS`.
   */
  @Delete(':username')
  @HttpCode(200)
  @Audited()
  @ApiOkResponse({ description: 'The user is closed.' })
  @ApiErrors(
    NO_NAME,
    NOT_ALLOWED,
    CLOSING_STEP_UP,
    NO_USER,
    CONFLICT.means('the last operator stays.'),
    ACCOUNT_NOT_EMPTY.means(
      'for oneself, while there are balances, contracts or open orders; `details` lists them by account.',
    ),
  )
  remove(@CurrentPrincipal() principal: Principal, @Username() username: string): Promise<void> {
    return this.management.close(principal, username);
  }
}

function firstOf(users: readonly UserDto[]): UserDto {
  return users[0]!;
}

/** Each operation shows users of its own, so that one after the other can be tried. */
function examplesOf(...usernames: string[]): Record<string, { value: unknown }> {
  return { users: { value: usernames.map((username) => ({ username, password: `${username}-password` })) } };
}
