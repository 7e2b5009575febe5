import { Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { invalidToken } from '../../../kit/security/challenges.js';
import { BearerStrategy } from './bearer.strategy.js';

/** Sets `request.user` for a valid access token; throws `invalid_token` (401) otherwise. */
@Injectable()
export class BearerGuard extends AuthGuard() {
  constructor(strategy: BearerStrategy) {
    super({ defaultStrategy: strategy.registeredName, session: false });
  }

  override handleRequest<TUser>(error: Error | null, principal: TUser | false | undefined): TUser {
    if (error) throw error;
    if (!principal) throw invalidToken();
    return principal;
  }
}
