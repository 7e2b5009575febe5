import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import { Authenticator } from '../../../kit/security/authenticator.js';
import type { Principal } from '../../../kit/security/principal.js';

/** Authenticates only by `Authorization: Bearer <token>`. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) implements OnModuleDestroy {
  /** Passport's registry is global to the process; a unique name separates applications. */
  readonly registeredName = `bearer ${randomUUID()}`;

  constructor(private readonly authenticator: Authenticator) {
    super();
    passport.use(this.registeredName, this);
  }

  onModuleDestroy(): void {
    passport.unuse(this.registeredName);
  }

  /** The library also reads `access_token` from query and body, which may be logged; so it gets neither. */
  override authenticate(request: Request): void {
    super.authenticate({ headers: request.headers } as Request);
  }

  validate(token: string): Promise<Principal | undefined> {
    return this.authenticator.authenticateBearer(token);
  }
}
