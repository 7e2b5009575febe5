import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { digestOf } from '../secrets.js';
import { OAuthTokenEntity } from './oauth-token.entity.js';

const PURGE_EVERY_MS = 10 * 60_000;
const PURGED_AT_ONCE_MAX = 10_000;

export interface NewAccessToken {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

/** The access tokens that were issued: opaque texts, of which only digests are stored. */
@Injectable()
export class AccessTokensService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AccessTokensService.name);
  private purging: NodeJS.Timeout | undefined;

  constructor(
    @InjectRepository(OAuthTokenEntity) private readonly tokens: Repository<OAuthTokenEntity>,
    private readonly authenticator: CredentialAuthenticator,
  ) {}

  onApplicationBootstrap(): void {
    this.purging = setInterval(() => {
      this.purgeExpired().catch((error: unknown) => this.logger.warn({ msg: 'purge failed', err: error }));
    }, PURGE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.purging);
  }

  async store({ token, clientId, scopes, expiresAt }: NewAccessToken): Promise<void> {
    const tokenHash = digestOf(token);
    await this.tokens.insert({ tokenHash, clientId, scopes: [...scopes], issuedAt: new Date(), expiresAt });
  }

  /** Ends a token: at once in this process, within a second in others. An unknown one is no error. */
  async revoke(token: string): Promise<void> {
    const tokenHash = digestOf(token);
    await this.tokens.delete({ tokenHash });
    this.authenticator.forgetToken(tokenHash);
  }

  /** Deletes tokens that have expired, a bounded number at a time; tells how many. */
  async purgeExpired(): Promise<number> {
    const deleted = await this.tokens.query<[unknown, number]>(
      `DELETE FROM oauth_tokens WHERE token_hash IN (
         SELECT token_hash FROM oauth_tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT ${PURGED_AT_ONCE_MAX})`,
      [new Date()],
    );
    return deleted[1];
  }
}
