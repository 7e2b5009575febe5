import { describe, expect, it } from 'vitest';
import { type OrderRow, type PackedOrderRow, packedOrderColumns, unpackOrder } from './packed-order.js';

const PLAIN: OrderRow = {
  order_id: '42',
  account_id: '7',
  price_ticks: '6000000',
  size_lots: '100000',
  filled_lots: '10',
  remaining_lots: '99990',
  filled_notional: '60000000000000000000000',
  fees: '3',
  fee_rounding: '0',
  held: '59994000000000',
  status: 'partially_filled',
  status_reason: null,
  queue_sequence: '41',
  book_sequence: '43',
  updated_at: 1_764_270_000_123,
  best_ticks: null,
  market_id: 'BTC-USD',
  client_order_id: null,
  side: 'buy',
  type: 'limit',
  time_in_force: 'GTC',
  stop_price_ticks: null,
  maker_fee_rate: null,
  taker_fee_rate: null,
  post_only: false,
  reduce_only: true,
  self_trade_prevention: 'cancel_newest',
  expires_at: null,
  created_at: 1_764_270_000_000,
  quote_size: null,
  display_lots: null,
  list_id: null,
  list_role: null,
  client_list_id: null,
  stop_trigger: null,
  trailing_ticks: null,
  trailing_bps: null,
  origin: null,
};
const STOP: OrderRow = {
  ...PLAIN,
  order_id: '43',
  price_ticks: null,
  status: 'untriggered',
  type: 'stop',
  client_order_id: 'mine, (really)',
  stop_price_ticks: '5900000',
  best_ticks: '6100000',
  maker_fee_rate: '500000000000000',
  taker_fee_rate: '1000000000000000',
  expires_at: 1_764_280_000_000,
  list_id: '40',
  list_role: 'exit',
  client_list_id: '"a", b',
  stop_trigger: 'mark',
  trailing_bps: '25',
};

/** The columns of each packed text, as the query names them. */
const PACKED = [...packedOrderColumns((column) => column).matchAll(/ROW\((.*?)\)::text AS (\w+)/g)].map(
  ([, columns, name]) => ({ name: name!, columns: columns!.split(', ') as (keyof OrderRow)[] }),
);

/** As PostgreSQL answers the query. */
function packed(row: OrderRow): PackedOrderRow {
  const textOf = (value: OrderRow[keyof OrderRow]): string =>
    value === null ? '' : typeof value === 'boolean' ? (value ? 't' : 'f') : String(value);
  const texts = PACKED.map(({ name, columns }) => [
    name,
    `(${columns.map((column) => textOf(row[column])).join(',')})`,
  ]);
  const { market_id, client_order_id, client_list_id } = row;
  return { market_id, client_order_id, client_list_id, ...Object.fromEntries(texts) } as PackedOrderRow;
}

describe('a packed order', () => {
  it('has every column once', () => {
    const names = [
      'market_id',
      'client_order_id',
      'client_list_id',
      ...PACKED.flatMap(({ columns }) => columns),
    ];
    expect(names.sort()).toEqual(Object.keys(PLAIN).sort());
  });

  it.each([
    ['plain order', PLAIN],
    ['trailing stop of a list', STOP],
  ])('is the row that it was: a %s', (_kind, row) => {
    expect(unpackOrder(packed(row))).toEqual(row);
  });

  it('shares nothing that differs with one of the same terms', () => {
    const other = { ...PLAIN, order_id: '44', price_ticks: '1', client_order_id: 'other', held: '0' };
    const rows = [PLAIN, other, STOP].map((row) => unpackOrder(packed(row)));
    expect(rows).toEqual([PLAIN, other, STOP]);
  });

  it('is unpacked as well where more terms differ than are remembered', () => {
    for (let i = 0; i < 25_000; i++) {
      const row = { ...STOP, order_id: `${i}`, stop_price_ticks: `${i}` };
      const { order_id, stop_price_ticks, stop_trigger } = unpackOrder(packed(row));
      expect([order_id, stop_price_ticks, stop_trigger]).toEqual([`${i}`, `${i}`, 'mark']);
    }
    expect(unpackOrder(packed(PLAIN))).toEqual(PLAIN);
  });
});
