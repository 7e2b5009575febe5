import { Injectable } from '@nestjs/common';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { ClientOwners } from './client-owners.js';

export const CLIENT_PREFIX = 'client:';

/** Who owns accounts, as operators name them. */
@Injectable()
export class AccountOwners {
  constructor(
    private readonly users: UsersService,
    private readonly clients: ClientOwners,
  ) {}

  /** The key of the owner that is called so: a username, or `client:<client_id>`. Throws `not_found` (404). */
  async find(text: string): Promise<string> {
    if (text.startsWith(CLIENT_PREFIX)) {
      const owner = await this.clients.accountOwnerOf(text.slice(CLIENT_PREFIX.length));
      if (owner !== undefined) return owner;
    } else {
      const user = await this.users.findByUsername(text);
      if (user !== null) return principalKeyOf(user);
    }
    throw new ApiError(NOT_FOUND, 'There is no such owner. Name a user, or a client as client:<client_id>.');
  }
}
