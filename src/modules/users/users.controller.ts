import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApprovalDto } from '../../platform/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../platform/approvals/proposed.js';
import { BatchBody } from '../../platform/http/body/body-policy.js';
import { Idempotent } from '../../platform/http/idempotency/idempotent.js';
import { Authenticated } from '../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../platform/security/current-principal.js';
import { PresentedToken } from '../../platform/security/presented-token.js';
import type { Principal } from '../../platform/security/principal.js';
import { NewUsersPipe, USERS_AT_ONCE_MAX } from './new-users.pipe.js';
import { UserManagementService } from './user-management.service.js';
import { UserRegistrationService } from './user-registration.service.js';
import { CreateUserDto, toUserDto, UpdateUserDto, UserDto } from './user.dto.js';
import type { UserEntity } from './user.entity.js';
import { ApiUsername, UsernamePipe } from './username.js';

const FORBIDDEN = '`forbidden`: it takes the session of a logged-in user, or an operator.';
const TOO_MANY =
  '`rate_limited`: 20 users an hour, with those whom they make in turn, unless an operator makes them.';

/** The Petstore's users. Each is seen and changed by its own session and by operators alone. */
@ApiTags('Users')
@Authenticated(['session'])
@Controller('user')
export class UsersController {
  constructor(
    private readonly registration: UserRegistrationService,
    private readonly management: UserManagementService,
  ) {}

  @Post()
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Create a user',
    description:
      'By any logged-in user, or an operator. Who made it is remembered. The new user gets a trading account.',
  })
  @ApiOkResponse({ type: UserDto })
  @ApiBadRequestResponse({ description: '`validation_failed`' })
  @ApiForbiddenResponse({ description: FORBIDDEN })
  @ApiConflictResponse({ description: '`username_taken`, also by a user who is closed now.' })
  @ApiTooManyRequestsResponse({ description: TOO_MANY })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateUserDto): Promise<UserDto> {
    return this.registration.register(principal, [body], firstOf);
  }

  @Post('createWithArray')
  @HttpCode(200)
  @BatchBody()
  @Idempotent()
  @ApiOperation({
    summary: 'Create users with an array',
    description: `Up to ${USERS_AT_ONCE_MAX}, all or none. Answers them all, in their order.`,
  })
  @ApiBody({ type: [CreateUserDto], examples: examplesOf('dave', 'erin') })
  @ApiOkResponse({ type: [UserDto] })
  @ApiBadRequestResponse({ description: '`validation_failed`' })
  @ApiForbiddenResponse({ description: FORBIDDEN })
  @ApiConflictResponse({ description: '`username_taken`: none was made.' })
  @ApiTooManyRequestsResponse({ description: TOO_MANY })
  createWithArray(
    @CurrentPrincipal() principal: Principal,
    @Body(NewUsersPipe) body: CreateUserDto[],
  ): Promise<UserDto[]> {
    return this.registration.register(principal, body, (users) => users.map(toUserDto));
  }

  @Post('createWithList')
  @HttpCode(200)
  @BatchBody()
  @Idempotent()
  @ApiOperation({
    summary: 'Create users with a list',
    description: `Up to ${USERS_AT_ONCE_MAX}, all or none. Answers the first, as the Petstore does.`,
  })
  @ApiBody({ type: [CreateUserDto], examples: examplesOf('frank', 'grace') })
  @ApiOkResponse({ type: UserDto })
  @ApiBadRequestResponse({ description: '`validation_failed`' })
  @ApiForbiddenResponse({ description: FORBIDDEN })
  @ApiConflictResponse({ description: '`username_taken`: none was made.' })
  @ApiTooManyRequestsResponse({ description: TOO_MANY })
  createWithList(
    @CurrentPrincipal() principal: Principal,
    @Body(NewUsersPipe) body: CreateUserDto[],
  ): Promise<UserDto> {
    return this.registration.register(principal, body, firstOf);
  }

  @Get(':username')
  @ApiOperation({ summary: 'Get a user by username' })
  @ApiUsername()
  @ApiOkResponse({ type: UserDto })
  @ApiBadRequestResponse({ description: '`validation_failed`: nobody could be called so.' })
  @ApiForbiddenResponse({ description: FORBIDDEN })
  @ApiNotFoundResponse({ description: '`not_found`: there is no such user, or it is somebody else.' })
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('username', UsernamePipe) username: string,
  ): Promise<UserDto> {
    return this.management.get(principal, username);
  }

  @Put(':username')
  @ApiOperation({
    summary: 'Update a user',
    description:
      'What is left out stays as it is. A new password ends all other sessions of the user. With `FOUR_EYES`, a new password of another operator is a proposal, together with the rest of the change.',
  })
  @ApiUsername()
  @ApiOkResponse({ type: UserDto })
  @ApiProposed()
  @ApiBadRequestResponse({ description: '`validation_failed`' })
  @ApiForbiddenResponse({ description: FORBIDDEN })
  @ApiNotFoundResponse({ description: '`not_found`: there is no such user, or it is somebody else.' })
  async update(
    @CurrentPrincipal() principal: Principal,
    @Param('username', UsernamePipe) username: string,
    @Body() body: UpdateUserDto,
    @PresentedToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserDto | ApprovalDto> {
    return answerProposable(response, await this.management.update(principal, username, body, token));
  }

  @Delete(':username')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Delete a user',
    description:
      'The user is closed: personal fields are erased, sessions, clients and API keys end at once, open orders are cancelled, and the name is never given again. The account stays, with its money and its history.',
  })
  @ApiUsername()
  @ApiOkResponse({ description: 'The user is closed.' })
  @ApiBadRequestResponse({ description: '`validation_failed`: nobody could be called so.' })
  @ApiForbiddenResponse({ description: FORBIDDEN })
  @ApiNotFoundResponse({ description: '`not_found`: there is no such user, or it is somebody else.' })
  @ApiConflictResponse({ description: '`conflict`: the last operator stays.' })
  remove(
    @CurrentPrincipal() principal: Principal,
    @Param('username', UsernamePipe) username: string,
  ): Promise<void> {
    return this.management.close(principal, username);
  }
}

function firstOf(users: readonly UserEntity[]): UserDto {
  return toUserDto(users[0] as UserEntity);
}

/** Each operation shows users of its own, so that one after the other can be tried. */
function examplesOf(...usernames: string[]): Record<string, { value: unknown }> {
  return { users: { value: usernames.map((username) => ({ username, password: `${username}-password` })) } };
}
