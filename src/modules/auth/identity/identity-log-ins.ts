import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { FORBIDDEN, TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { ACCESS_DENIED } from '../errors.js';
import { digestOf } from '../secrets/secrets.js';
import { IdentityLogInEntity } from './identity-log-in.entity.js';
import {
  type IdentityLogIn,
  type IdentityProvider,
  IdentityRefused,
  type ProvedIdentity,
} from './identity-provider.js';
import { requireIdentity } from './require-identity.js';

/** How long somebody may take at the provider. */
const LIFETIME_MS = 15 * 60_000;

export const EXPIRED_IDENTITY_LOG_INS: PurgedRows = {
  table: 'identity_log_ins',
  key: ['state_hash'],
  over: 'expires_at < now()',
  orderBy: 'expires_at',
};

export interface NewLogIn {
  /** The secret in the browser's cookie. */
  readonly browserSecret: string;
  /** Of the authorization request to go on with. */
  readonly query: string;
  readonly isFresh: boolean;
  readonly linkedUserId: string | null;
}

/**
 * Log-ins at providers, from the page to the callback. Each is bound to its browser: what the provider has to send back
 * is made of the secret in the browser's cookie, and of nothing that is stored.
 */
@Injectable()
export class IdentityLogIns {
  private readonly logger = new Logger(IdentityLogIns.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectRepository(IdentityLogInEntity) private readonly logIns: Repository<IdentityLogInEntity>,
  ) {}

  /** Where the browser goes. Throws `temporarily_unavailable` (503) where the provider does not answer. */
  async begin(provider: IdentityProvider, { browserSecret, ...kept }: NewLogIn): Promise<string> {
    const state = randomBytes(32).toString('base64url');
    const beganAt = new Date();
    const address = await this.asking(provider, () =>
      provider.begin(this.logInOf(provider, { state, browserSecret, beganAt, isFresh: kept.isFresh })),
    );
    await this.logIns.insert({
      ...kept,
      stateHash: digestOf(state),
      browserHash: digestOf(browserSecret),
      provider: provider.name,
      beganAt,
      expiresAt: new Date(beganAt.getTime() + LIFETIME_MS),
    });
    return address;
  }

  /**
   * Takes the log-in that a browser comes back with, once. Throws `forbidden` (403) for one that is unknown, over, used, of
   * another provider or of another browser: that of somebody else stays good for whose it is.
   */
  async take(
    provider: IdentityProvider,
    state: string | null,
    browserSecret: string,
    problem: string,
  ): Promise<IdentityLogInEntity> {
    const { raw } = (await this.logIns
      .createQueryBuilder()
      .delete()
      .where(
        'state_hash = :state AND browser_hash = :browser AND provider = :provider AND expires_at > :now',
        {
          state: digestOf(state ?? ''),
          browser: digestOf(browserSecret),
          provider: provider.name,
          now: new Date(),
        },
      )
      .returning('*')
      .execute()) as { readonly raw: readonly LogInRow[] };
    const [row] = raw;
    if (row === undefined) throw new ApiError(FORBIDDEN, problem);
    return this.logIns.create({
      stateHash: row.state_hash,
      query: row.query,
      isFresh: row.is_fresh,
      linkedUserId: row.linked_user_id,
      beganAt: row.began_at,
    });
  }

  /**
   * Who the browser's user is. Throws `access_denied` (403) where the provider, or the user there, refuses or proves
   * nothing, and as `begin`.
   */
  finish(
    provider: IdentityProvider,
    { beganAt, isFresh }: IdentityLogInEntity,
    browserSecret: string,
    answer: URLSearchParams,
  ): Promise<ProvedIdentity> {
    const state = answer.get('state') ?? '';
    const logIn = this.logInOf(provider, { state, browserSecret, beganAt, isFresh });
    return this.asking(provider, async () => requireIdentity(await provider.finish(logIn, answer)));
  }

  private logInOf(
    { name }: IdentityProvider,
    {
      state,
      browserSecret,
      beganAt,
      isFresh,
    }: { state: string; browserSecret: string } & Pick<IdentityLogIn, 'beganAt' | 'isFresh'>,
  ): IdentityLogIn {
    const made = (what: string): string =>
      createHmac('sha256', browserSecret).update(`${what} ${state}`).digest('base64url');
    return {
      state,
      nonce: made('nonce'),
      codeVerifier: made('verifier'),
      redirectUri: `${this.config.publicUrl}/oauth/callback-${name}`,
      isFresh,
      beganAt,
    };
  }

  private async asking<T>({ name, label }: IdentityProvider, ask: () => T | Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof IdentityRefused) throw new ApiError(ACCESS_DENIED, error.message);
      this.logger.warn({ msg: 'an identity provider does not work', provider: name, err: error });
      throw new ApiError(
        TEMPORARILY_UNAVAILABLE,
        `${label} does not answer just now. Try again in a moment, or log in another way.`,
      );
    }
  }
}

interface LogInRow {
  readonly state_hash: string;
  readonly query: string;
  readonly is_fresh: boolean;
  readonly linked_user_id: string | null;
  readonly began_at: Date;
}
