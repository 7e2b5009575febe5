import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StartRefusal } from '../config/start-refusal.js';
import { DeclaredRoutes } from '../http/declared-routes.js';
import { credentialPolicyOf } from './credential-policy.js';

/** Keeps the service from starting while some route declares no credential policy. */
@Injectable()
export class CredentialCheck implements OnModuleInit {
  constructor(private readonly routes: DeclaredRoutes) {}

  onModuleInit(): void {
    const undeclared = this.routes
      .all()
      .filter(({ controller, handler }) => credentialPolicyOf(controller, handler) === undefined);
    if (undeclared.length === 0) return;
    const names = undeclared.map((route) => route.name).join(', ');
    throw new StartRefusal(`Routes without @Public, @Authenticated or @RequireScopes: ${names}.`);
  }
}
