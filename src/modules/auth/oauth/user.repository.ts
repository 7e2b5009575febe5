import type { OAuthUser, OAuthUserIdentifier, OAuthUserRepository } from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';

/** Shows the library our users. Whoever names one to it has just read that the user may log in. */
@Injectable()
export class UserRepository implements OAuthUserRepository {
  getUserByCredentials(id: OAuthUserIdentifier): Promise<OAuthUser> {
    return Promise.resolve({ id });
  }
}
