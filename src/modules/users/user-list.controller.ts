import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CsvRows } from '../../kit/http/csv/csv-rows.js';
import { ApiPageResponse, type Page } from '../../kit/http/pagination.js';
import { RequireScopes } from '../../kit/security/credentials.js';
import { ListUsersQueryDto, OperatorUserDto, USER_COLUMNS } from './operator-user.dto.js';
import { UserList } from './user-list.service.js';
import { ADMIN } from '../../kit/security/scope.js';

/** Users, as operators look for them. */
@ApiTags('Admin')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('admin/users')
export class UserListController {
  constructor(private readonly users: UserList) {}

  /**
   * List and search users
   * @remarks Newest first. With `q` those of which the username begins with it, then the email, the first and the last
   * name, each in alphabetical order. Where few meet the filter, a page may be short, even empty, and still have a
   * `next_cursor`.
   */
  @Get()
  @ApiPageResponse(OperatorUserDto)
  @CsvRows(USER_COLUMNS)
  list(@Query() query: ListUsersQueryDto): Promise<Page<OperatorUserDto>> {
    return this.users.list(query);
  }
}
