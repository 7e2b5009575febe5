/**
 * Repeats. A request can carry an `Idempotency-Key`, an order a `client_order_id`; either finds the earlier answer, in
 * the tables or in the same batch, and then the engine is not called. A quote's id works the same way, but a second
 * acceptance is refused: it would be another bet.
 *
 * These keys are committed with their commands, in the journal, whose format is for good: so they have a store of their
 * own. What a repeat is, and for how long, they share with all others: see `kit/repeated-requests.ts`.
 */
import { hash } from 'node:crypto';
import type pg from 'pg';
import type {
  AcceptQuote,
  Command,
  CommandResult,
  Outcome,
  PlaceOrder,
  PlaceOrderList,
  Refusal,
  ReplaceOrder,
} from '../../domain/engine/commands.js';
import { invariant } from '../../domain/invariant.js';
import { KEY_KEPT_MS, KEY_REUSED } from '../../kit/repeated-requests.js';
import type { KeyRow } from '../tables/core-tables.js';
import type { CoreAnswer, CoreRequest, IdempotencyKey } from '../requests/requests.js';
import type { KeyHit } from '../state/state-loader.js';

/** The part of an outcome that a repeat needs. Orders are stored by id, since they may have changed since. */
type StoredOutcome = { readonly order: number } | Exclude<Outcome, { ok: true; result: { type: 'order' } }>;

const requestOwner = (owner: string): string => `request:${owner}`;
/** Whose keys the `client_order_id`s of an account are. */
export const orderOwner = (accountId: number): string => `order:${accountId}`;
/** Whose keys the `client_order_list_id`s of an account are. */
const listOwner = (accountId: number): string => `order_list:${accountId}`;
/** Whose keys the ids of accepted quotes are. */
const QUOTE_OWNER = 'quote';

/** A command that is carried out once for all time, under a key of its own. */
type OnceCommand = PlaceOrder | ReplaceOrder | PlaceOrderList | AcceptQuote;

interface OnceKey {
  readonly command: OnceCommand;
  readonly owner: string;
  readonly key: string;
}

function onceKeyOf(command: Command): OnceKey | undefined {
  if (command.type === 'accept_quote') return { command, owner: QUOTE_OWNER, key: command.quoteId };
  if (command.type === 'place_order_list') {
    if (command.clientListId === null) return undefined;
    return { command, owner: listOwner(command.accountId), key: command.clientListId };
  }
  if (command.type !== 'place_order' && command.type !== 'replace_order') return undefined;
  if (command.clientOrderId === null) return undefined;
  return { command, owner: orderOwner(command.accountId), key: command.clientOrderId };
}

/** Keys under which a request, or one of its commands, may have been answered before. */
export function keysOf(
  commands: readonly Command[],
  idempotency: IdempotencyKey | undefined,
): { owner: string; key: string }[] {
  const keys: { owner: string; key: string }[] = [];
  if (idempotency !== undefined) keys.push({ owner: requestOwner(idempotency.owner), key: idempotency.key });
  for (const command of commands) {
    const once = onceKeyOf(command);
    if (once !== undefined) keys.push({ owner: once.owner, key: once.key });
  }
  return keys;
}

/** The keys of one batch: those found by its look-up, and those that it makes itself. */
export class BatchKeys {
  readonly made: KeyRow[] = [];
  private readonly known = new Map<string, { fingerprint: string; outcomes: string }>();

  constructor(
    hits: readonly KeyHit[],
    private readonly timeMs: number,
  ) {
    for (const hit of hits) this.known.set(`${hit.owner}\n${hit.key}`, hit);
  }

  /** The answer to a repeated request; a refusal where its body differs; undefined where it is new. */
  replayOfRequest(request: CoreRequest): CoreAnswer | undefined {
    const { idempotency } = request;
    if (idempotency === undefined) return undefined;
    const known = this.known.get(`${requestOwner(idempotency.owner)}\n${idempotency.key}`);
    if (known === undefined) return undefined;
    if (known.fingerprint !== idempotency.fingerprint) {
      return {
        outcomes: request.commands.map(() => REUSED),
        replayed: request.commands.map(() => false),
      };
    }
    const outcomes = decodeOutcomes(known.outcomes);
    return { outcomes, replayed: outcomes.map(() => true), isOfKey: true };
  }

  rememberRequest(request: CoreRequest, outcomes: readonly Outcome[]): void {
    const { idempotency } = request;
    if (idempotency === undefined || !outcomes.some(({ ok }) => ok)) return;
    this.make({
      owner: requestOwner(idempotency.owner),
      key: idempotency.key,
      fingerprint: idempotency.fingerprint,
      outcomes: encodeOutcomes(outcomes),
      createdAtMs: this.timeMs,
      expiresAtMs: expiryOf(idempotency, this.timeMs),
    });
  }

  /**
   * The outcome of a repeated order; a refusal where its terms differ or where a quote was accepted
   * before; undefined where the command is new.
   */
  replayOfCommand(command: Command): Outcome | undefined {
    const once = onceKeyOf(command);
    if (once === undefined) return undefined;
    const known = this.known.get(`${once.owner}\n${once.key}`);
    if (known === undefined) return undefined;
    if (once.command.type === 'accept_quote') return QUOTE_ACCEPTED;
    return known.fingerprint === termsDigestOf(once.command)
      ? decodeOutcomes(known.outcomes)[0]
      : DUPLICATE_ORDER;
  }

  /** Why a command could not be carried out another time; null where it could, or would give a replay. */
  refusalOfRepeat(command: Command): Refusal | null {
    const earlier = this.replayOfCommand(command);
    return earlier === undefined || earlier.ok ? null : earlier.refusal;
  }

  rememberCommand(command: Command, outcome: Outcome): void {
    const once = onceKeyOf(command);
    if (once === undefined || !outcome.ok) return;
    this.make({
      owner: once.owner,
      key: once.key,
      fingerprint: termsDigestOf(once.command),
      outcomes: encodeOutcomes([outcome]),
      createdAtMs: this.timeMs,
      expiresAtMs: null,
    });
  }

  private make(row: KeyRow): void {
    const key = `${row.owner}\n${row.key}`;
    invariant(!this.known.has(key), 'a key is used once');
    this.made.push(row);
    this.known.set(key, row);
  }
}

function expiryOf({ keptForGood, keptMs }: IdempotencyKey, timeMs: number): number | null {
  return keptForGood === true ? null : timeMs + (keptMs ?? KEY_KEPT_MS);
}

const REUSED: Outcome = { ok: false, refusal: KEY_REUSED };

const DUPLICATE_ORDER: Outcome = {
  ok: false,
  refusal: {
    code: 'duplicate_client_order_id',
    message: 'This client_order_id belongs to an order with other terms. Use a new one.',
  },
};

const QUOTE_ACCEPTED: Outcome = {
  ok: false,
  refusal: {
    code: 'quote_already_accepted',
    message: 'This quote has been accepted before. Ask for a new one.',
  },
};

/**
 * The terms as the caller sent them; the verdicts of a fee policy and of the owner's own limits are no part of them. Kept
 * with the key for good: the same terms must give the same digest for ever.
 */
function termsDigestOf(command: OnceCommand): string {
  // With a quote size, the size is the market's max_size, which the caller has not sent.
  const size = 'quoteSize' in command ? { sizeLots: null } : {};
  const terms = { ...command, ...size, ...withoutVerdicts(command), allowance: undefined };
  return hash('sha256', JSON.stringify(terms), 'base64');
}

function withoutVerdicts(command: OnceCommand): object {
  if (command.type !== 'place_order_list') return { feeRates: null };
  const { entry, exits } = command;
  return {
    entry: entry && { ...entry, feeRates: null },
    exits: exits.map((exit) => ({ ...exit, feeRates: null })),
  };
}

function encodeOutcomes(outcomes: readonly Outcome[]): string {
  const stored = outcomes.map((outcome): StoredOutcome => {
    if (!outcome.ok) return outcome;
    const { result } = outcome;
    if (result.type === 'order') return { order: result.order.orderId };
    if (result.type !== 'order_list') return outcome;
    return { ok: true, result: { type: 'order_list_reference', listId: result.listId } };
  });
  return JSON.stringify(stored);
}

/** The order that a stored key of `orderOwner` stands for. */
export function orderIdIn(outcomes: string): number | undefined {
  const [stored] = JSON.parse(outcomes) as StoredOutcome[];
  return stored !== undefined && 'order' in stored ? stored.order : undefined;
}

/** A request that was carried out: the first transfer that it made, and when. */
export interface CarriedOut {
  readonly transferId: number | null;
  readonly timeMs: number;
}

/** The newest of the requests with these keys, as the tables have them; null where there is none. */
export async function newestRequest(
  pool: Pick<pg.Pool, 'query'>,
  owner: string,
  keys: readonly string[],
): Promise<CarriedOut | null> {
  const { rows } = await pool.query<{ outcomes: string; created_at: Date }>(
    `SELECT outcomes, created_at FROM command_keys WHERE owner = $1 AND key = ANY ($2)
     ORDER BY created_at DESC LIMIT 1`,
    [requestOwner(owner), keys],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const made = decodeOutcomes(row.outcomes).find(({ ok }) => ok);
  const transferId = made?.ok === true && made.result.type === 'transfer' ? made.result.transferId : null;
  return { transferId, timeMs: row.created_at.getTime() };
}

function decodeOutcomes(text: string): Outcome[] {
  return (JSON.parse(text) as StoredOutcome[]).map((stored) => {
    if (!('order' in stored)) return stored;
    const result: CommandResult = { type: 'order_reference', orderId: stored.order };
    return { ok: true, result };
  });
}
