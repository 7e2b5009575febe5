import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { StartRefusal } from '../../../kit/config/start-refusal.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { IdentityProvider } from './identity-provider.js';
import { OpenIdConnect } from './openid-connect.js';

const NAME = /^[a-z][a-z0-9]{0,30}$/;

/** All providers at which users may log in: that of OpenID Connect where it is set, and those of plugins. */
@Injectable()
export class IdentityProviders implements OnModuleInit {
  readonly all: readonly IdentityProvider[];

  constructor(
    private readonly oidc: OpenIdConnect,
    @Inject(IdentityProvider) ofPlugins: readonly IdentityProvider[],
    private readonly scopes: ScopeCatalogue,
  ) {
    this.all = [...(oidc.isConfigured ? [oidc] : []), ...ofPlugins];
  }

  /** Throws a StartRefusal for roles that there are not, and for a name that is none or not a provider's own. */
  onModuleInit(): void {
    const unknown = this.oidc.roles.find((role) => !this.scopes.roles.includes(role));
    if (unknown !== undefined)
      throw new StartRefusal(
        `OIDC_ROLES names the role ${unknown}, which there is not; there are ${this.scopes.roles.join(', ')}.`,
      );
    for (const [place, provider] of this.all.entries()) {
      const { name } = provider;
      if (!NAME.test(name) || this.all.findIndex((other) => other.name === name) !== place)
        throw new StartRefusal(
          `${provider.constructor.name} needs a "name" of its own, of lower-case letters and digits; it has "${name}".`,
        );
    }
  }

  find(name: string): IdentityProvider | undefined {
    return this.all.find((provider) => provider.name === name);
  }

  /** Throws `not_found` (404). */
  get(name: string): IdentityProvider {
    const provider = this.find(name);
    if (provider === undefined) throw new ApiError(NOT_FOUND, 'There is no such way to log in here.');
    return provider;
  }
}
