import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, FORBIDDEN, CONFLICT, NOT_FOUND } from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { CsvRows } from '../../kit/http/csv/csv-rows.js';
import { ApiPageResponse, type Page } from '../../kit/http/pagination.js';
import { RequireScopes } from '../../kit/security/credential-policy.js';
import {
  OPERATOR_COMPLIANCE,
  OPERATOR_SECURITY,
  OPERATOR_SUPPORT,
  operators,
} from '../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { ListUsersQueryDto, OperatorUserDto, USER_COLUMNS } from './operator-user.dto.js';
import { UserList } from './user-list.service.js';
import { UserLocks } from './user-locks.service.js';
import { LockUserDto, UnlockUserDto, UserDto } from './user.dto.js';
import { Username } from './username.js';

const NO_USER = NOT_FOUND.means('there is no such user.');

/** Users, as operators look for them, lock and unlock them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SECURITY))
@Controller('admin/users')
export class AdminUsersController {
  constructor(
    private readonly users: UserList,
    private readonly locks: UserLocks,
  ) {}

  /**
   * List and search users
   * @remarks Newest first. With `q` those of which the username begins with it, then the email, the first and the last
   * name, each in alphabetical order. Where few meet the filter, a page may be short, even empty, and still have a
   * `next_cursor`.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_COMPLIANCE, OPERATOR_SECURITY))
  @ApiPageResponse(OperatorUserDto)
  @CsvRows(USER_COLUMNS, { fields: { on: 'users', reader: 'operators' } })
  list(@Query() query: ListUsersQueryDto): Promise<Page<OperatorUserDto>> {
    return this.users.list(query);
  }

  /**
   * Lock a user
   * @remarks Sessions, grants, tokens, sockets and streams end within a second, and for good; the clients
   * and API keys of the user work again once the user is unlocked. Open orders stay; payouts and transfers
   * that wait are held.
   */
  @Post(':username/lock')
  @HttpCode(200)
  @ApiErrors(
    VALIDATION_FAILED,
    FORBIDDEN.means('nobody locks themselves.'),
    NO_USER,
    CONFLICT.means('the last operator stays.'),
  )
  lock(
    @CurrentPrincipal() principal: Principal,
    @Username() username: string,
    @Body() { reason }: LockUserDto,
  ): Promise<UserDto> {
    return this.locks.lock(principal, username, reason);
  }

  /**
   * Unlock a user
   * @remarks The user logs in anew; payouts and transfers that were held go on.
   */
  @Post(':username/unlock')
  @HttpCode(200)
  @ApiErrors(VALIDATION_FAILED, NO_USER)
  unlock(@Username() username: string, @Body() { reason }: UnlockUserDto): Promise<UserDto> {
    return this.locks.unlock(username, reason ?? null);
  }
}
