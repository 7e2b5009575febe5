import type { PlaceOrderDto, ReplaceOrderDto } from '../../../src/index.js';
import { RejectedField, REJECT_REASON } from '../codec/fields.js';
import type { FixMessage } from '../codec/fix-message.js';
import { TAG } from '../codec/tags.js';

/** Values of OrdRejReason (103). */
export const ORD_REJ_REASON = {
  unknownSymbol: '1',
  exchangeClosed: '2',
  exceedsLimit: '3',
  unknownOrder: '5',
  duplicateOrder: '6',
  unsupported: '11',
  incorrectQuantity: '13',
  unknownAccount: '15',
  other: '99',
} as const;

/** An order that is well-formed FIX and that there is not here. */
export class UnsupportedOrder extends Error {
  constructor(
    message: string,
    readonly reason: string = ORD_REJ_REASON.unsupported,
  ) {
    super(message);
  }
}

const SIDES = { 1: 'buy', 2: 'sell' } as const;
const TYPES = { 1: 'market', 2: 'limit', 3: 'stop', 4: 'stop_limit' } as const;
/** The exchange never closes, so a day order is good till it is cancelled. */
const TIMES_IN_FORCE = { 0: 'GTC', 1: 'GTC', 3: 'IOC', 4: 'FOK', 6: 'GTD' } as const;
/** Values of ExecInst (18): participate don't initiate, do not increase. */
const INSTRUCTIONS = { 6: 'post_only', E: 'reduce_only' } as const;

/** Values that FIX 4.4 has beside those that are supported. */
const OTHER_SIDES = /^[3-9A-G]$/;
const OTHER_TYPES = /^[5-9A-QP]$/;
const OTHER_TIMES = /^[257]$/;

/** The order of a NewOrderSingle. Throws `RejectedField` and `UnsupportedOrder`. */
export function placeOrderOf(message: FixMessage): PlaceOrderDto {
  const { fields } = message;
  const marketId = fields.requiredText(TAG.Symbol);
  const quoteSize = fields.decimal(TAG.CashOrderQty);
  const size = fields.decimal(TAG.OrderQty);
  if (size === undefined && quoteSize === undefined) fields.requiredText(TAG.OrderQty);
  return {
    market_id: marketId,
    ...termsOf(message),
    ...optional('size', size),
    ...optional('quote_size', quoteSize),
  };
}

/** The same for the order that an OrderCancelReplaceRequest asks for: OrderQty counts what the old one has filled. */
export function replaceOrderOf(message: FixMessage): ReplaceOrderDto {
  const total = message.fields.required(TAG.OrderQty, (fields, tag) => fields.decimal(tag));
  return { ...termsOf(message), total_size: total };
}

function termsOf(message: FixMessage): Omit<ReplaceOrderDto, 'size' | 'total_size'> {
  const { fields } = message;
  fields.required(TAG.TransactTime, (each, tag) => each.timeMs(tag));
  const timeInForce = supported(message, TAG.TimeInForce, TIMES_IN_FORCE, OTHER_TIMES);
  const expireTimeMs = fields.timeMs(TAG.ExpireTime);
  const type = supported(message, TAG.OrdType, TYPES, OTHER_TYPES);
  const side = supported(message, TAG.Side, SIDES, OTHER_SIDES);
  if (type === undefined) throw missing(TAG.OrdType);
  if (side === undefined) throw missing(TAG.Side);
  return {
    client_order_id: fields.requiredText(TAG.ClOrdID),
    side,
    type,
    ...optional('price', fields.decimal(TAG.Price)),
    ...optional('stop_price', fields.decimal(TAG.StopPx)),
    ...optional('display_size', fields.decimal(TAG.MaxFloor)),
    ...optional('time_in_force', timeInForce),
    ...optional('expires_at', expireTimeMs === undefined ? undefined : new Date(expireTimeMs).toISOString()),
    ...instructionsOf(message),
  };
}

function instructionsOf({ fields }: FixMessage): Partial<Record<'post_only' | 'reduce_only', true>> {
  const instructions = fields.text(TAG.ExecInst)?.split(' ') ?? [];
  return Object.fromEntries(
    instructions.map((instruction) => {
      if (!Object.hasOwn(INSTRUCTIONS, instruction)) {
        throw new UnsupportedOrder(`ExecInst ${instruction} is not supported.`);
      }
      return [INSTRUCTIONS[instruction as keyof typeof INSTRUCTIONS], true];
    }),
  );
}

/** Throws `UnsupportedOrder` for what FIX has and the exchange has not, and `RejectedField` for what FIX has not. */
function supported<Value>(
  { fields }: FixMessage,
  tag: number,
  choices: Readonly<Record<string, Value>>,
  others: RegExp,
): Value | undefined {
  const text = fields.text(tag);
  if (text !== undefined && !Object.hasOwn(choices, text) && others.test(text)) {
    throw new UnsupportedOrder(`The value ${text} of tag ${tag} is not supported.`);
  }
  return fields.choice(tag, choices);
}

function missing(tag: number): RejectedField {
  return new RejectedField(tag, REJECT_REASON.requiredTagMissing, 'Required tag missing.');
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}
