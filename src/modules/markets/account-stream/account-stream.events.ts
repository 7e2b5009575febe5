import type { AccountReferenceDto } from '../../accounts/access/account-reference.dto.js';
import type { Acknowledgement } from '../../../kit/realtime/socket-gateway.js';
import type {
  CredentialClientEvents,
  ErrorServerEvents,
} from '../../../kit/realtime/socket-authentication.js';
import type {
  AccountEventEnvelopeDto,
  AccountSnapshotDto,
  AccountUpdateDto,
  FollowAccountDto,
  FollowedAccountDto,
} from './account-stream.dto.js';

/** What each type of event carries. */
export interface AccountEventData {
  /** The account as it is. */
  'account.snapshot': AccountSnapshotDto;
  /** The changes since `previous_sequence`. */
  'account.update': AccountUpdateDto;
}

export type AccountEventType = keyof AccountEventData;

export interface AccountEvent<
  Type extends AccountEventType = AccountEventType,
> extends Readonly<AccountEventEnvelopeDto> {
  readonly type: Type;
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
