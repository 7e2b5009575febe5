import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayInit,
  SubscribeMessage,
} from '@nestjs/websockets';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { AccountAccessService } from '../../../core/access/account-access.service.js';
import { formatId } from '../../../domain/ids.js';
import { ApiError } from '../../../platform/http/errors.js';
import { toApiError } from '../../../platform/server/exception.filter.js';
import { DescribesChannels } from '../../../platform/realtime/asyncapi/event-catalogue.js';
import { endSocket } from '../../../platform/realtime/end-socket.js';
import {
  type AuthenticatedSocketData,
  SocketAuthentication,
} from '../../../platform/realtime/socket-authentication.js';
import { SocketBacklogs } from '../../../platform/realtime/socket-backlogs.js';
import { drained } from '../../../platform/realtime/socket-drain.js';
import { SocketGateway } from '../../../platform/realtime/socket-gateway.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { AccountReferenceDto } from '../accounts/account-reference.dto.js';
import { ACCOUNT_SOCKET, ACCOUNT_STREAM } from './account-channels.js';
import { AccountFeed } from './account-feed.js';
import type { AccountFollower, AccountReceiver } from './account-follower.js';
import { FollowAccountDto, type FollowedAccountDto } from './account-stream.dto.js';
import { FOLLOWING_ACCOUNTS } from './account-streams.js';
import type { AccountClientEvents, AccountEvent, AccountServerEvents } from './account-stream.events.js';

type AccountNamespace = Namespace<
  AccountClientEvents,
  AccountServerEvents,
  DefaultEventsMap,
  AuthenticatedSocketData
>;
type AccountSocket = Socket<
  AccountClientEvents,
  AccountServerEvents,
  DefaultEventsMap,
  AuthenticatedSocketData
>;

const ACCOUNTS_FOLLOWED_MAX = 100;

/**
 * The namespace `/account`: own orders, fills and balances. What is followed begins with a snapshot, or with
 * what has changed since the sequence that the client names.
 */
@SocketGateway('/account')
@DescribesChannels(ACCOUNT_SOCKET, ACCOUNT_STREAM)
@RequireScopes(FOLLOWING_ACCOUNTS)
@Injectable()
export class AccountGateway
  implements OnGatewayInit<AccountNamespace>, OnGatewayConnection<AccountSocket>, OnModuleDestroy
{
  private readonly clients = new Map<AccountSocket, SocketClient>();
  private readonly backlogs = new SocketBacklogs({
    onBehind: (socket) => this.clients.get(socket as AccountSocket)?.rest(),
    onCaughtUp: (socket) => this.clients.get(socket as AccountSocket)?.caughtUp(),
  });

  constructor(
    private readonly feed: AccountFeed,
    private readonly access: AccountAccessService,
    private readonly authentication: SocketAuthentication,
  ) {}

  afterInit(namespace: AccountNamespace): void {
    this.authentication.require(namespace, FOLLOWING_ACCOUNTS);
  }

  handleConnection(socket: AccountSocket): void {
    const client = new SocketClient(socket, this.feed, this.backlogs);
    this.clients.set(socket, client);
    this.backlogs.watch(socket);
    socket.once('disconnect', () => {
      client.unfollowAll();
      this.clients.delete(socket);
    });
  }

  onModuleDestroy(): void {
    this.backlogs.stop();
  }

  /**
   * Answers once the account has been told. Following it again begins anew. Throws `account_not_found`, and
   * `unprocessable` for too many accounts.
   */
  @SubscribeMessage('subscribe')
  async subscribe(
    @ConnectedSocket() socket: AccountSocket,
    @CurrentPrincipal() principal: Principal,
    @MessageBody() { account_id: account, offset }: FollowAccountDto,
  ): Promise<FollowedAccountDto> {
    const accountId = await this.access.accountIdOf(principal, account);
    const sequence = (await this.clients.get(socket)?.follow(accountId, offset)) ?? null;
    return { account_id: formatId('acc', accountId), sequence };
  }

  /** Throws `account_not_found`. */
  @SubscribeMessage('unsubscribe')
  async unsubscribe(
    @ConnectedSocket() socket: AccountSocket,
    @CurrentPrincipal() principal: Principal,
    @MessageBody() { account_id: account }: AccountReferenceDto,
  ): Promise<void> {
    this.clients.get(socket)?.unfollow(await this.access.accountIdOf(principal, account));
  }
}

/** One socket, and the accounts that it follows. */
class SocketClient implements AccountReceiver {
  private static readonly logger = new Logger(AccountGateway.name);
  private readonly followed = new Map<number, AccountFollower>();
  private readonly waitingToResume = new Set<() => void>();

  constructor(
    private readonly socket: AccountSocket,
    private readonly feed: AccountFeed,
    private readonly backlogs: SocketBacklogs,
  ) {}

  get isBehind(): boolean {
    return this.backlogs.isBehind(this.socket);
  }

  /** Answers up to which sequence the client has been told; null where it reads too slowly to be. */
  async follow(accountId: number, offset: number | undefined): Promise<number | null> {
    this.unfollow(accountId);
    if (this.followed.size >= ACCOUNTS_FOLLOWED_MAX) {
      throw new ApiError(
        'unprocessable',
        `A socket follows at most ${ACCOUNTS_FOLLOWED_MAX} accounts; open another.`,
      );
    }
    const follower = this.feed.follow(accountId, offset, this);
    this.followed.set(accountId, follower);
    try {
      await follower.bringUpToDate();
    } catch (error) {
      this.unfollow(accountId);
      throw error;
    }
    return follower.sequence;
  }

  unfollow(accountId: number): void {
    const follower = this.followed.get(accountId);
    if (follower !== undefined) this.feed.unfollow(follower);
    this.followed.delete(accountId);
  }

  unfollowAll(): void {
    for (const accountId of [...this.followed.keys()]) this.unfollow(accountId);
  }

  send(event: AccountEvent): void {
    this.socket.emit(event.type, event as never);
  }

  drained(): Promise<void> {
    return drained(this.socket);
  }

  fail(error: unknown): void {
    SocketClient.logger.warn({ err: error, msg: 'an account could not be told' });
    endSocket(this.socket, toApiError(error));
  }

  whenCaughtUp(callback: () => void): void {
    this.waitingToResume.add(callback);
  }

  rest(): void {
    for (const follower of this.followed.values()) follower.rest();
  }

  caughtUp(): void {
    const callbacks = [...this.waitingToResume];
    this.waitingToResume.clear();
    for (const callback of callbacks) callback();
  }
}
