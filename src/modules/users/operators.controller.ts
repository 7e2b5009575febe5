import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Idempotent } from '../../platform/http/idempotency/idempotent.js';
import { RequireScopes } from '../../platform/security/credentials.js';
import { UserManagementService } from './user-management.service.js';
import { MakeOperatorDto, UserDto } from './user.dto.js';

/** Who operates the service. */
@ApiTags('Admin')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/operators')
export class OperatorsController {
  constructor(private readonly management: UserManagementService) {}

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Make a user an operator',
    description:
      'From the next log-in on, by HTTP Basic or on the log-in page, the user’s sessions have the scope `admin`.',
  })
  @ApiCreatedResponse({ type: UserDto })
  @ApiNotFoundResponse({ description: '`not_found`: there is no such user, or it is locked or closed.' })
  make(@Body() { username }: MakeOperatorDto): Promise<UserDto> {
    return this.management.makeOperator(username);
  }
}
