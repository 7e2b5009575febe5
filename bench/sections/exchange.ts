import pg from 'pg';
import { amount, amountOf } from '../../src/domain/money/amount.js';
import { QuoteWriter } from '../../src/modules/exchange/quotes/quote-writer.js';
import type { BenchService, Trader } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, rate, ratioFigure } from '../support/figures.js';
import { wireJson } from '../support/load-generator.js';
import { CONNECTIONS, ordersOneByOne } from '../support/order-load.js';
import { type Contender, type Measured, ratioOf, runInTurns } from '../support/rounds.js';
import { ACCOUNT_IDS } from '../../src/modules/accounts/ids.js';

const MARKET = 'BENCH-BETS';
const BETS_RATIO_LEAST = 0.7;
const PRICE = '0.40';
/** More than all rounds together can take: the book stays as it is, and no quote goes stale. */
const OFFERED_CONTRACTS = '1000000000';
/** More bets than a round can take, so that no connection comes to its end and accepts a quote again. */
const BETS_PER_SECOND_MAX = 12_000;
const QUOTES_AT_ONCE = 5_000;
const QUOTE_LIVES_MS = 3_600_000;

/** Quotes, and bets that accept them, against the echo of the same app. */
export async function benchExchange({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  await service.createMarket(MARKET, { kind: 'event', base_asset: undefined, lot_size: '1' });
  await service.placeOrder(service.sellers[0]!, {
    market_id: MARKET,
    side: 'sell',
    type: 'limit',
    price: PRICE,
    size: OFFERED_CONTRACTS,
  });
  const betsPerConnection = Math.ceil((BETS_PER_SECOND_MAX * rounds.roundMs) / 1_000 / CONNECTIONS);
  const pool = new pg.Pool({ connectionString: service.databaseUrl });
  try {
    const writer = new QuoteWriter(pool);
    const { echo, quotes, bets } = await runInTurns(
      load,
      {
        echo: ordersOneByOne(service, [MARKET], { path: '/bench/echo' }),
        quotes: quotesOneByOne(service),
        bets: {
          service,
          status: 201,
          connections: () => betsOneByOne(service, writer, betsPerConnection),
        },
      },
      rounds,
    );
    const [ofQuotes, ofBets] = [quotes, bets].map((measured) => basisOf(measured, echo)) as [string, string];
    return [
      {
        what: '`POST /quotes` / bare echo route',
        measured: fixed(ratioOf(quotes, echo)),
        goal: '',
        basis: ofQuotes,
      },
      ratioFigure(
        'durable `POST /matched-bets` / bare echo route',
        ratioOf(bets, echo),
        BETS_RATIO_LEAST,
        ofBets,
      ),
    ];
  } finally {
    await pool.end();
  }
}

function basisOf(measured: Measured, echo: Measured): string {
  const latency = `p50 ${fixed(measured.p50Ms)} ms, p99 ${fixed(measured.p99Ms)} ms`;
  return `${rate(measured.perSecond)} (${latency}) / ${rate(echo.perSecond)}`;
}

function quotesOneByOne(service: BenchService): Contender {
  return {
    service,
    status: 201,
    connections: Array.from({ length: CONNECTIONS }, (_, connection) => {
      const places = Math.max(1, Math.ceil(service.buyers.length / CONNECTIONS));
      return Array.from({ length: places }, (__, i) => {
        const { credential, accountId } = buyerOf(service, connection * places + i);
        const terms = { market_id: MARKET, side: 'buy', size: '1', account_id: accountId };
        return wireJson('/quotes', credential, terms);
      });
    }),
  };
}

/** Accepts unused quotes. The quotes are inserted without HTTP, which is not measured here. */
async function betsOneByOne(
  service: BenchService,
  writer: QuoteWriter,
  betsPerConnection: number,
): Promise<string[][]> {
  const connections: string[][] = [];
  for (let connection = 0; connection < CONNECTIONS; connection++) {
    const requests: string[] = [];
    while (requests.length < betsPerConnection) {
      const count = Math.min(QUOTES_AT_ONCE, betsPerConnection - requests.length);
      const first = connection * betsPerConnection + requests.length;
      const written = Array.from({ length: count }, async (_, i) => {
        const buyer = buyerOf(service, first + i);
        return wireJson('/matched-bets', buyer.credential, {
          quote_id: await writer.write(quoteFor(buyer)),
        });
      });
      requests.push(...(await Promise.all(written)));
    }
    connections.push(requests);
  }
  return connections;
}

function quoteFor({ accountId }: Trader): Parameters<QuoteWriter['write']>[0] {
  const now = Date.now();
  return {
    accountId: ACCOUNT_IDS.parse(accountId)!,
    marketId: MARKET,
    side: 'buy',
    sizeLots: 1,
    notional: amountOf(PRICE),
    fee: amount(0n),
    limitPriceTicks: 40,
    makerFeeRate: null,
    takerFeeRate: null,
    bookSequence: 1,
    createdAt: new Date(now),
    expiresAt: new Date(now + QUOTE_LIVES_MS),
  };
}

function buyerOf({ buyers }: BenchService, i: number): Trader {
  return buyers[i % buyers.length]!;
}
