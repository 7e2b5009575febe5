import type {
  OAuthAuthCode,
  OAuthAuthCodeRepository,
  OAuthClient,
  OAuthScope,
  OAuthUser,
} from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';
import { newSecret } from '../secrets/secrets.js';
import { GrantsService } from '../tokens/grants.service.js';
import { userReferenceOf } from './user-reference.js';
import { TokenRepository, clientReference } from './token.repository.js';

const CODE_LIFETIME_MS = 60_000;

/** Stores the library's authorization codes, as grants that can be redeemed once. */
@Injectable()
export class AuthCodeRepository implements OAuthAuthCodeRepository {
  constructor(
    private readonly grants: GrantsService,
    private readonly tokens: TokenRepository,
  ) {}

  issueAuthCode(client: OAuthClient, user: OAuthUser | undefined, scopes: OAuthScope[]): OAuthAuthCode {
    return { code: newSecret('tpc'), expiresAt: new Date(), client, user, scopes };
  }

  async persist({ code, client, user, scopes, codeChallenge, redirectUri }: OAuthAuthCode): Promise<void> {
    if (user == null || codeChallenge == null || redirectUri == null) {
      throw new Error('a code was issued without a user, a code challenge or a redirect_uri');
    }
    await this.grants.store({
      code,
      // The library's own code lifetime is 15 minutes and cannot be configured.
      codeExpiresAt: new Date(Date.now() + CODE_LIFETIME_MS),
      clientId: client.id,
      ...userReferenceOf(user),
      scopes: scopes.map((scope) => scope.name),
      codeChallenge,
      redirectUri,
    });
  }

  /** Throws `invalid_grant` for a code that is unknown, expired or used. */
  async getByIdentifier(code: string): Promise<OAuthAuthCode> {
    const grant = await this.grants.findByCode(code);
    if (grant === null) throw await this.tokens.refuse(code);
    return {
      code,
      redirectUri: grant.redirectUri,
      codeChallenge: grant.codeChallenge,
      codeChallengeMethod: 'S256',
      expiresAt: grant.expiresAt,
      user: { id: grant.userId },
      client: clientReference(grant.clientId),
      scopes: grant.scopes.map((name) => ({ name })),
    };
  }

  /** `getByIdentifier` finds no revoked code. */
  isRevoked(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Redeeming the code has ended it already. */
  revoke(): Promise<void> {
    return Promise.resolve();
  }
}
