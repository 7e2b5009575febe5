import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { ApiEventStreamResponse, LastEventId } from '../../../kit/realtime/event-stream-routes.js';
import { EventStreams } from '../../../kit/realtime/event-streams.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { TakesStreamTickets } from '../../../kit/security/stream-tickets.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { AccountFeed } from './account-feed.js';
import { AccountStreamQueryDto } from './account-stream.dto.js';

const SEQUENCE = /^(0|[1-9]\d{0,14})$/;

/** What happens in the caller's own accounts, as it happens. */
@ApiTags('Markets')
@RequireScopes(ACCOUNT_REQUIREMENT)
@Controller('accounts')
export class AccountsStreamController {
  constructor(
    private readonly feed: AccountFeed,
    private readonly access: AccountAccessService,
    private readonly eventStreams: EventStreams,
  ) {}

  /**
   * Follow an account by server-sent events
   * @remarks Own orders, fills and balances in the order of their commits: `account.snapshot`, then
   * `account.update` with what each commit has changed. `id` is the sequence of the account, which has no
   * gaps. Who comes back with the last one gets what has changed since: every fill, and orders and balances
   * as they are now; who has missed more than 10,000 commits gets a snapshot that says so. The same events
   * come through the socket.io namespace `/account`.
   */
  @Get(':account_id/stream')
  @TakesStreamTickets()
  @ApiEventStreamResponse()
  @ApiErrors(REFUSALS.account_not_found)
  async stream(
    @CurrentPrincipal() principal: Principal,
    @AccountId()
    account: string,
    @Query() { offset }: AccountStreamQueryDto,
    @LastEventId('The last `id` that the client has; browsers send it by themselves.')
    lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    // What is no sequence of ours says nothing; the client then gets a snapshot, as one that is new.
    const lastSequence =
      lastEventId !== undefined && SEQUENCE.test(lastEventId) ? Number(lastEventId) : offset;
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const stream = this.eventStreams.open(response, ACCOUNT_REQUIREMENT);
    this.feed.subscribe(principal, accountId, lastSequence, stream).resume();
  }
}
