import { amountOf, formatAmount } from '../../src/domain/money/amount.js';
import type { FlowEvent, FlowFormat, FlowOrder } from './recorded-flow.js';
import { FlowFormatError } from './recorded-flow.js';

const LINE = /^\d+ (\w+) (\{.*\})$/;
const KINDS = ['order_created', 'order_changed', 'order_deleted', 'trade', 'order_book'] as const;
const PRICE_DECIMALS = 2;
const SIZE_DECIMALS = 8;

interface BitstampOrder {
  readonly id: number;
  readonly price: string;
  readonly amount: string;
  /** 0 = buy, 1 = sell. */
  readonly order_type: 0 | 1;
}

interface BitstampTrade {
  readonly price: number;
  readonly amount: number;
}

interface BitstampBook {
  readonly bids: readonly (readonly [price: string, amount: string])[];
  readonly asks: readonly (readonly [price: string, amount: string])[];
}

/** Bitstamp's public order stream, one event a line: `<received, ms since epoch> <kind> <JSON>`. */
export const bitstampFormat: FlowFormat = {
  name: 'Bitstamp',

  recognizes: (firstLine) => parse(firstLine) !== undefined,

  read(lines) {
    const known = new Map<number, FlowOrder>();
    const earlier = new Map<number, FlowOrder>();
    const events: FlowEvent[] = [];
    lines.forEach((line, i) => {
      const event = parse(line);
      if (event === undefined) throw new FlowFormatError(`Line ${i + 1} is not of the Bitstamp format.`);
      const { kind, data } = event;
      switch (kind) {
        case 'order_created': {
          const order = orderOf(data as BitstampOrder);
          known.set((data as BitstampOrder).id, order);
          events.push({ kind: 'create', order });
          break;
        }
        case 'order_changed':
          rememberEarlier(data as BitstampOrder);
          break;
        case 'order_deleted': {
          rememberEarlier(data as BitstampOrder);
          const { id } = data as BitstampOrder;
          const order = known.get(id) ?? earlier.get(id);
          if (order !== undefined) events.push({ kind: 'cancel', order });
          break;
        }
        case 'trade': {
          const { price, amount } = data as BitstampTrade;
          events.push({
            kind: 'trade',
            price: canonical(price, PRICE_DECIMALS),
            size: canonical(amount, SIZE_DECIMALS),
          });
          break;
        }
        case 'order_book': {
          const { bids, asks } = data as BitstampBook;
          events.push({ kind: 'top_of_book', bid: bestOf(bids), ask: bestOf(asks) });
          break;
        }
      }
    });

    /**
     * An order from before the recording is known from its first change or deletion on, with its remaining size then.
     * If nothing remained, its size is unknown.
     */
    function rememberEarlier(data: BitstampOrder): void {
      if (known.has(data.id) || earlier.has(data.id) || Number(data.amount) === 0) return;
      earlier.set(data.id, orderOf(data));
    }

    const first = [...earlier.entries()].sort(([a], [b]) => a - b);
    return {
      tickSize: '0.01',
      lotSize: '0.00000001',
      events: [...first.map(([, order]): FlowEvent => ({ kind: 'create', order })), ...events],
    };
  },
};

/** The kind and the JSON of a line; undefined where it is not of this format. */
function parse(line: string): { kind: (typeof KINDS)[number]; data: unknown } | undefined {
  const match = LINE.exec(line);
  const kind = KINDS.find((name) => name === match?.[1]);
  return kind && { kind, data: JSON.parse(match![2]!) as unknown };
}

function orderOf({ id, price, amount, order_type }: BitstampOrder): FlowOrder {
  return {
    id: String(id),
    side: order_type === 0 ? 'buy' : 'sell',
    price: canonical(Number(price), PRICE_DECIMALS),
    size: canonical(Number(amount), SIZE_DECIMALS),
  };
}

function bestOf(levels: BitstampBook['bids']): string | null {
  return levels[0] === undefined ? null : canonical(Number(levels[0][0]), PRICE_DECIMALS);
}

/** Trades are recorded as floats, with their noise (1.7885566900000001): rounded to what the market counts. */
function canonical(figure: number, decimals: number): string {
  return formatAmount(amountOf(figure.toFixed(decimals)));
}
