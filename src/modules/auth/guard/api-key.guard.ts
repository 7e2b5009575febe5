import { Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { invalidApiKey } from '../../../kit/security/challenges.js';
import { ApiKeyStrategy } from './api-key.strategy.js';

/** Sets `request.user` for a valid API key; throws `invalid_api_key` (401) otherwise. */
@Injectable()
export class ApiKeyGuard extends AuthGuard() {
  constructor(strategy: ApiKeyStrategy) {
    super({ defaultStrategy: strategy.registeredName, session: false });
  }

  override handleRequest<TUser>(error: Error | null, principal: TUser | false | undefined): TUser {
    if (error) throw error;
    if (!principal) throw invalidApiKey();
    return principal;
  }
}
