import { isCredentialError, isObject, readError, TradepostError } from '../errors.js';
import type { components } from '../generated/openapi.js';
import type { Transport } from '../transport.js';
import { readEventStream, StreamEnded } from './event-stream.js';
import { Reconnecting } from './reconnecting.js';
import type { OnConnection } from './socket-session.js';

type Order = components['schemas']['OrderDto'];
type Balance = components['schemas']['BalanceDto'];
type Fill = components['schemas']['FillDto'];

/** All live orders and all balances. What you knew before no longer counts. */
export interface AccountSnapshot {
  readonly type: 'account.snapshot';
  readonly account_id: string;
  readonly sequence: number;
  readonly created_at: string;
  readonly data: {
    readonly reason: 'subscribed' | 'too_far_behind' | 'unknown_offset';
    readonly orders: readonly Order[];
    readonly balances: readonly Balance[];
  };
}

/** What changed: the fills since the event before, and orders and balances as they are now. */
export interface AccountUpdate {
  readonly type: 'account.update';
  readonly account_id: string;
  readonly sequence: number;
  readonly created_at: string;
  readonly data: {
    readonly previous_sequence: number;
    readonly orders: readonly Order[];
    readonly fills: readonly Fill[];
    readonly balances: readonly Balance[];
  };
}

export type AccountEvent = AccountSnapshot | AccountUpdate;

export interface FollowAccountOptions {
  /** `me` without it: the client's own. */
  readonly accountId?: string | undefined;
  /** The last sequence that you have: what happened since comes first. Without it, a snapshot does. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onConnection?: OnConnection | undefined;
  /** Another connection is made after this long without even a heartbeat (45,000). */
  readonly silenceMsMax?: number | undefined;
}

const PATH = '/accounts/{account_id}/stream';
/** A service that leaves a gap as often as this, or cannot say what came before, is asked for a snapshot. */
const GAPS_MAX = 3;

export async function* followAccount(
  transport: Transport,
  { accountId = 'me', after, signal, silenceMsMax, onConnection }: FollowAccountOptions = {},
): AsyncGenerator<AccountEvent, void, undefined> {
  const reconnecting = new Reconnecting(`GET ${PATH}`, signal);
  let last = after;
  let gaps = 0;
  for (;;) {
    // Between them, so that an end of the caller's own does not count as a failure.
    const secret = await transport.keeper?.secret(signal);
    const parts: AccountSnapshot[] = [];
    try {
      const messages = readEventStream(transport, {
        path: PATH,
        address: `/accounts/${encodeURIComponent(accountId)}/stream`,
        lastEventId: last === undefined ? undefined : String(last),
        silenceMsMax,
        signal,
        onOpen: () => onConnection?.(true),
      });
      for await (const { event: type, data } of messages) {
        const event = readEvent(type, data);
        if (event === undefined) continue;
        if (event.type === 'account.snapshot') {
          parts.push(event);
          if (event.data.is_last) yield joined(parts.splice(0));
          else continue;
        } else {
          if (last !== undefined && event.sequence <= last) continue;
          if (event.data.previous_sequence !== last) {
            gaps++;
            if (gaps >= GAPS_MAX) last = undefined;
            throw new StreamEnded('Events are missing.');
          }
          yield event;
        }
        last = event.sequence;
        gaps = 0;
        reconnecting.succeed();
      }
    } catch (error) {
      onConnection?.(false);
      if (error instanceof TradepostError && isCredentialError(error.code) && error.status === 0) {
        if (secret !== undefined && (await transport.keeper?.replace(secret, signal)) !== true) throw error;
      }
      await reconnecting.pause(error);
    }
  }
}

/** A snapshot comes in parts, of which the last has its sequence. */
export type AccountMessage =
  | (AccountSnapshot & { readonly data: { readonly is_last: boolean } })
  | AccountUpdate;

/** Throws where it is no event of an account; undefined for a type that is yet unknown. */
function readEvent(type: string | undefined, data: string): AccountMessage | undefined {
  if (type !== 'account.snapshot' && type !== 'account.update' && type !== 'error') return undefined;
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    throw new StreamEnded('An event is not JSON.');
  }
  const refused = type === 'error' ? readError(event) : undefined;
  if (refused !== undefined) throw new TradepostError({ ...refused, operation: `GET ${PATH}` });
  return readMessage(type, event);
}

/** Throws where it is no event of an account. */
export function readMessage(type: string, event: unknown): AccountMessage {
  const isUpdate = type === 'account.update';
  if (
    !isObject(event) ||
    !isObject(event['data']) ||
    (isUpdate || event['data']['is_last'] === true ? !Number.isSafeInteger(event['sequence']) : false)
  ) {
    throw new StreamEnded('An event is not what the service sends.');
  }
  return event as unknown as AccountMessage;
}

/** The parts of a snapshot as one; the last has its sequence. */
export function joined(parts: readonly AccountSnapshot[]): AccountSnapshot {
  const last = parts.at(-1)!;
  return {
    type: last.type,
    account_id: last.account_id,
    sequence: last.sequence,
    created_at: last.created_at,
    data: {
      reason: last.data.reason,
      orders: parts.flatMap(({ data }) => data.orders),
      balances: parts.flatMap(({ data }) => data.balances),
    },
  };
}
