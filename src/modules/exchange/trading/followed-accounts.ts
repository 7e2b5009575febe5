import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { invalidToken, insufficientScope } from '../../../kit/security/challenges.js';
import { CredentialStandings, credentialKeyOf } from '../../../kit/security/credential-standings.js';
import type { Principal } from '../../../kit/security/principal.js';
import { grants } from '../../../kit/security/scope.js';
import { AccountFeed } from '../../markets/account-stream/account-feed.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { ListenerConnection } from './listener-connection.js';
import type { AccountListener } from './trading.js';

const CHECK_EVERY_MS = 500;

/** Listeners to accounts in this process, each until it is removed, or its caller's role or credential ends. */
@Injectable()
export class FollowedAccounts implements OnModuleDestroy {
  private readonly logger = new Logger(FollowedAccounts.name);
  private readonly followers = new Map<ListenerConnection, Principal>();
  private readonly timer = setInterval(() => void this.checkAll(), CHECK_EVERY_MS).unref();

  constructor(
    private readonly feed: AccountFeed,
    private readonly standings: CredentialStandings,
  ) {}

  onModuleDestroy(): void {
    clearInterval(this.timer);
    for (const connection of this.followers.keys()) connection.end();
  }

  /** Resolves when the listener has the account as it is; returns what removes it. */
  async follow(
    caller: Principal,
    accountId: number,
    listener: AccountListener,
    offset?: number,
  ): Promise<() => void> {
    const connection = new ListenerConnection(listener);
    this.followers.set(connection, caller);
    connection.onClose(() => this.followers.delete(connection));
    try {
      await this.feed.subscribe(caller, accountId, offset, connection).bringUpToDate();
    } catch (error) {
      connection.end();
      throw error;
    }
    return () => connection.end();
  }

  private async checkAll(): Promise<void> {
    const checks = await Promise.allSettled(
      [...this.followers].map(([connection, caller]) => this.check(connection, caller)),
    );
    const failed = checks.find((check) => check.status === 'rejected');
    if (failed === undefined) return;
    // Their state is unknown, which is no reason to end them.
    this.logger.warn({
      msg: 'the credentials of followers could not be looked at',
      err: failed.reason as unknown,
    });
  }

  private async check(connection: ListenerConnection, caller: Principal): Promise<void> {
    const scopes = await this.standings.scopesOf(credentialKeyOf(caller));
    if (scopes === undefined) connection.endSubscription(invalidToken());
    else if (!grants(scopes, ACCOUNT_REQUIREMENT))
      connection.endSubscription(insufficientScope(ACCOUNT_REQUIREMENT));
  }
}
