import type { Acknowledgement } from '../../../platform/realtime/socket-gateway.js';
import type {
  CredentialClientEvents,
  ErrorServerEvents,
} from '../../../platform/realtime/socket-authentication.js';
import type {
  AccountReferenceDto,
  AccountSnapshotDto,
  AccountUpdateDto,
  FollowAccountDto,
  FollowedAccountDto,
} from './account-stream.dto.js';

/** What each type of event carries. */
export interface AccountEventData {
  /** The account as it is. */
  'account.snapshot': AccountSnapshotDto;
  /** What has changed since `previous_sequence`. */
  'account.update': AccountUpdateDto;
}

export type AccountEventType = keyof AccountEventData;

/**
 * An event of an account. `sequence` counts the commits that changed the account, without gaps; a snapshot
 * that is not complete yet has none.
 */
export interface AccountEvent<Type extends AccountEventType = AccountEventType> {
  readonly type: Type;
  readonly account_id: string;
  readonly sequence?: number;
  readonly created_at: string;
  readonly data: AccountEventData[Type];
}

/** What one commit did, or several. */
export type AccountUpdate = AccountEvent<'account.update'> & { readonly sequence: number };

/** What clients of the namespace `/account` may send to follow accounts. */
export interface AccountClientEvents extends CredentialClientEvents {
  subscribe(
    message: FollowAccountDto,
    acknowledge: (answer: Acknowledgement<FollowedAccountDto>) => void,
  ): void;
  unsubscribe(message: AccountReferenceDto, acknowledge: (answer: Acknowledgement<null>) => void): void;
}

/** What they receive. */
export type AccountServerEvents = ErrorServerEvents & {
  [Type in AccountEventType]: (event: AccountEvent<Type>) => void;
};
