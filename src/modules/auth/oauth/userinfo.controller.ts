import { Controller, Get, Header } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { UserInfo } from './oauth.dto.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

@ApiTags('Auth')
@Authenticated()
@Controller('oauth')
export class UserInfoController {
  /**
   * Ask who one is
   * @remarks For clients that act for a user, such as the console: whom they act for, and what they may do.
   */
  @Get('userinfo')
  @Header('Cache-Control', 'no-store')
  userInfo(@CurrentPrincipal() { key, kind, id, scopes, accountId }: Principal): UserInfo {
    return {
      sub: key,
      username: kind === 'user' ? id : null,
      scope: [...scopes].join(' '),
      account_id: accountId === null ? null : ACCOUNT_IDS.format(accountId),
    };
  }
}
