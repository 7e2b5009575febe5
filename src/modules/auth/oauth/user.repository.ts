import type { OAuthUser, OAuthUserIdentifier, OAuthUserRepository } from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';

/** Provides the library with users. Its callers have just checked that the user may log in. */
@Injectable()
export class UserRepository implements OAuthUserRepository {
  getUserByCredentials(id: OAuthUserIdentifier): Promise<OAuthUser> {
    return Promise.resolve({ id });
  }
}
