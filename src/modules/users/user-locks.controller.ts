import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { RequireScopes } from '../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../platform/security/current-principal.js';
import type { Principal } from '../../platform/security/principal.js';
import { UserLocks } from './user-locks.service.js';
import { LockUserDto, UnlockUserDto, UserDto } from './user.dto.js';
import { ApiUsername, UsernamePipe } from './username.js';

/** Users, as operators lock and unlock them. */
@ApiTags('Admin')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/users')
export class UserLocksController {
  constructor(private readonly locks: UserLocks) {}

  @Post(':username/lock')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Lock a user',
    description:
      'Sessions, grants, tokens, sockets and streams end within a second, and for good; the clients and API keys of the user work again once the user is unlocked. Open orders stay; payouts and transfers that wait are held.',
  })
  @ApiUsername()
  @ApiOkResponse({ type: UserDto })
  @ApiErrors(
    'validation_failed',
    'forbidden: nobody locks themselves.',
    'not_found: there is no such user.',
    'conflict: the last operator stays.',
  )
  lock(
    @CurrentPrincipal() principal: Principal,
    @Param('username', UsernamePipe) username: string,
    @Body() { reason }: LockUserDto,
  ): Promise<UserDto> {
    return this.locks.lock(principal, username, reason);
  }

  @Post(':username/unlock')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Unlock a user',
    description: 'The user logs in anew; payouts and transfers that were held go on.',
  })
  @ApiUsername()
  @ApiOkResponse({ type: UserDto })
  @ApiErrors('validation_failed', 'not_found: there is no such user.')
  unlock(
    @Param('username', UsernamePipe) username: string,
    @Body() { reason }: UnlockUserDto,
  ): Promise<UserDto> {
    return this.locks.unlock(username, reason ?? null);
  }
}
