import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsString } from 'class-validator';
import { ROLES } from '../../kit/security/scope.js';

const ROLES_MAX = 50;

/** The body of `PUT /admin/users/{username}/roles`. */
export class SetRolesDto {
  /**
   * Scopes of operators; `admin` means all of them.
   * @example ["operator:support"]
   */
  @ApiProperty({ enum: ROLES, isArray: true })
  @IsArray()
  @ArrayMaxSize(ROLES_MAX)
  @ArrayUnique()
  @IsString({ each: true })
  roles: string[];
}

/** What a user may do as an operator. */
export class UserRolesDto {
  /** @example "carol" */
  username: string;

  /** @example ["operator:support"] */
  @ApiProperty({ enum: ROLES, isArray: true })
  roles: string[];
}
