import type { CcxtClient } from '../../support/clients/binance-clients.js';

const SYMBOL = 'BTC/USD';
/** From the middle of the book to each quote. */
const HALF_SPREAD = 0.002;
const SIZE = 0.05;
const REQUOTE_MS = 250;

/** Keeps a bid and an ask around the middle of the book, and moves them with it. */
export class MarketMaker {
  quotes = 0;

  constructor(private readonly client: CcxtClient) {}

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.requote();
      await new Promise((resolve) => setTimeout(resolve, REQUOTE_MS));
    }
  }

  private async requote(): Promise<void> {
    await this.withdraw();
    const book = await this.client.fetchOrderBook(SYMBOL);
    const [bid, ask] = [book.bids[0]?.[0], book.asks[0]?.[0]];
    if (bid === undefined || ask === undefined) return;
    const middle = (bid + ask) / 2;
    for (const [side, price] of [
      ['buy', middle * (1 - HALF_SPREAD)],
      ['sell', middle * (1 + HALF_SPREAD)],
    ] as const) {
      const at = Number(this.client.priceToPrecision(SYMBOL, price));
      await this.client.createOrder(SYMBOL, 'limit', side, SIZE, at);
      this.quotes++;
    }
  }

  /** Cancels what is open. */
  async withdraw(): Promise<void> {
    const open = await this.client.fetchOpenOrders(SYMBOL);
    if (open.length > 0) await this.client.cancelAllOrders(SYMBOL);
  }
}
