import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { AccountAccessService } from '../../../core/access/account-access.service.js';
import { errorEnvelope } from '../../../platform/http/errors.js';
import { toApiError } from '../../../platform/server/exception.filter.js';
import { encodeEvent, type EventStream } from '../../../platform/realtime/event-stream.js';
import { EventStreams } from '../../../platform/realtime/event-streams.js';
import type { Principal } from '../../../platform/security/principal.js';
import type { ScopeRequirement } from '../../../platform/security/scopes.js';
import { AccountFeed } from './account-feed.js';
import type { AccountReceiver } from './account-follower.js';
import type { AccountEvent } from './account-stream.events.js';

/** What following accounts takes, and has to go on being there while it lasts. */
export const FOLLOWING_ACCOUNTS = { anyOf: ['account:read'] } as const satisfies ScopeRequirement;

/** Account streams by server-sent events. */
@Injectable()
export class AccountStreams {
  constructor(
    private readonly feed: AccountFeed,
    private readonly access: AccountAccessService,
    private readonly eventStreams: EventStreams,
  ) {}

  /**
   * Answers with events until the client hangs up or the service stops; `offset` is the last sequence that the
   * client has. Throws `account_not_found` before that.
   */
  async open(
    principal: Principal,
    account: string,
    offset: number | undefined,
    response: Response,
  ): Promise<void> {
    const accountId = await this.access.accountIdOf(principal, account);
    const stream = this.eventStreams.open(response, FOLLOWING_ACCOUNTS);
    const follower = this.feed.follow(accountId, offset, new StreamReceiver(stream));
    stream.onClose(() => this.feed.unfollow(follower));
    follower.resume();
  }
}

class StreamReceiver implements AccountReceiver {
  private static readonly logger = new Logger(AccountStreams.name);

  constructor(private readonly stream: EventStream) {}

  get isBehind(): boolean {
    return this.stream.isBehind;
  }

  send(event: AccountEvent): void {
    this.stream.send(encodeEvent(event.type, event.sequence, event));
  }

  /** Nothing to wait for: a stream with as much as a page before it is behind. */
  drained(): Promise<void> {
    return Promise.resolve();
  }

  whenCaughtUp(callback: () => void): void {
    this.stream.onCaughtUp(callback);
  }

  fail(error: unknown): void {
    const requestId = randomUUID();
    StreamReceiver.logger.warn({
      err: error,
      request_id: requestId,
      msg: 'a stream of an account has ended',
    });
    this.stream.fail(errorEnvelope(toApiError(error), requestId));
  }
}
