import type { CcxtClient } from '../../support/clients/binance-clients.js';

const SYMBOL = 'BTC/USD';
const SIZE = 0.01;
const TRADES_COMPARED = 10;
/** A change of the price that is followed, as a share of it. */
const THRESHOLD = 0.00005;

/** Buys while trades go up, and sells while they go down. */
export class Momentum {
  orders = 0;
  private readonly prices: number[] = [];

  constructor(private readonly client: CcxtClient) {}

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const trades = await Promise.race([this.client.watchTrades(SYMBOL), silence()]);
      this.prices.push(...trades.map(({ price }) => price!));
      const change = this.changeOfLatest();
      if (Math.abs(change) > THRESHOLD) await this.follow(change > 0 ? 'buy' : 'sell');
    }
  }

  private changeOfLatest(): number {
    if (this.prices.length < TRADES_COMPARED) return 0;
    const [first, last] = [this.prices.at(-TRADES_COMPARED)!, this.prices.at(-1)!];
    this.prices.splice(0, this.prices.length - TRADES_COMPARED + 1);
    return last / first - 1;
  }

  private async follow(side: 'buy' | 'sell'): Promise<void> {
    await this.client.createOrder(SYMBOL, 'market', side, SIZE);
    this.orders++;
  }
}

/** Nothing within a second. */
function silence(): Promise<never[]> {
  return new Promise((resolve) => setTimeout(resolve, 1_000, []));
}
