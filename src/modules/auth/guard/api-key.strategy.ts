import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { Authenticator } from '../../../kit/security/authenticator.js';
import { API_KEY_HEADER } from '../../../kit/security/presented-credential.js';
import type { Principal } from '../../../kit/security/principal.js';

/** Authenticates by the header `api_key`. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderAPIKeyStrategy) implements OnModuleDestroy {
  /** Passport's registry is global to the process; a unique name separates applications. */
  readonly registeredName = `api_key ${randomUUID()}`;

  constructor(private readonly authenticator: Authenticator) {
    super({ header: API_KEY_HEADER, prefix: '' }, false);
    passport.use(this.registeredName, this);
  }

  onModuleDestroy(): void {
    passport.unuse(this.registeredName);
  }

  validate(key: string): Promise<Principal | undefined> {
    return this.authenticator.authenticateApiKey(key);
  }
}
