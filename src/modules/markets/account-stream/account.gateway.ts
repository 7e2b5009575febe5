import { Injectable } from '@nestjs/common';
import { ConnectedSocket, MessageBody, type OnGatewayConnection, SubscribeMessage } from '@nestjs/websockets';
import type { DefaultEventsMap, Socket } from 'socket.io';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { DescribesChannels } from '../../../kit/realtime/asyncapi/event-catalogue.js';
import type { AuthenticatedSocketData } from '../../../kit/realtime/socket-authentication.js';
import { SocketConnections } from '../../../kit/realtime/socket-connections.js';
import { SocketGateway } from '../../../kit/realtime/socket-gateway.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountReferenceDto } from '../../accounts/access/account-reference.dto.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { ACCOUNT_SOCKET, ACCOUNT_STREAM } from './account-channels.js';
import { AccountFeed } from './account-feed.js';
import { FollowAccountDto, type FollowedAccountDto } from './account-stream.dto.js';
import type { AccountClientEvents, AccountServerEvents } from './account-stream.events.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

type AccountSocket = Socket<
  AccountClientEvents,
  AccountServerEvents,
  DefaultEventsMap,
  AuthenticatedSocketData
>;

/** Of one socket. */
const SUBSCRIPTIONS_MAX = 100;

/**
 * The namespace `/account`: own orders, fills and balances. A subscription begins with a snapshot, or with the changes
 * since the sequence that the client names.
 */
@SocketGateway('/account', ACCOUNT_REQUIREMENT)
@DescribesChannels(ACCOUNT_SOCKET, ACCOUNT_STREAM)
@RequireScopes(ACCOUNT_REQUIREMENT)
@Injectable()
export class AccountGateway implements OnGatewayConnection<AccountSocket> {
  constructor(
    private readonly feed: AccountFeed,
    private readonly access: AccountAccessService,
    private readonly connections: SocketConnections,
  ) {}

  handleConnection(socket: AccountSocket): void {
    this.connections.open(socket);
  }

  /**
   * Answers up to which sequence the client has been sent the account; null where it reads too slowly. A second
   * subscription to the account replaces the first. Throws `account_not_found`, and
   * `unprocessable` for too many accounts.
   */
  @SubscribeMessage('subscribe')
  async subscribe(
    @ConnectedSocket() socket: AccountSocket,
    @CurrentPrincipal() principal: Principal,
    @MessageBody() { account_id: account, offset }: FollowAccountDto,
  ): Promise<FollowedAccountDto> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    return {
      account_id: ACCOUNT_IDS.format(accountId),
      sequence: await this.follow(socket, principal, accountId, offset),
    };
  }

  /** Throws `account_not_found`. */
  @SubscribeMessage('unsubscribe')
  async unsubscribe(
    @ConnectedSocket() socket: AccountSocket,
    @CurrentPrincipal() principal: Principal,
    @MessageBody() { account_id: account }: AccountReferenceDto,
  ): Promise<void> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    this.connections.of(socket)?.subscriptions.get(String(accountId))?.end();
  }

  private async follow(
    socket: AccountSocket,
    principal: Principal,
    accountId: number,
    offset: number | undefined,
  ): Promise<number | null> {
    const connection = this.connections.of(socket);
    if (connection === undefined) return null;
    const { subscriptions } = connection;
    if (subscriptions.size >= SUBSCRIPTIONS_MAX && !subscriptions.has(String(accountId))) {
      throw new ApiError(
        UNPROCESSABLE,
        `A socket follows at most ${SUBSCRIPTIONS_MAX} accounts; open another.`,
      );
    }
    const subscription = this.feed.subscribe(principal, accountId, offset, connection);
    try {
      await subscription.bringUpToDate();
    } catch (error) {
      subscription.end();
      throw error;
    }
    return subscription.sequence;
  }
}
