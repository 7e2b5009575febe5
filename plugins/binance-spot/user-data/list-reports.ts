import type { Principal, Trading } from '../../../src/index.js';
import type { SymbolsService } from '../symbols.service.js';
import { listStatusOf } from '../trading/list-response.js';

/** Tells of order lists that have changed, as they are when they are read. */
export class ListReports {
  /** Each list once, so that there are never more than the account has lists. */
  private readonly waiting = new Set<string>();
  /** Those that were told as open: that they still are is no news. */
  private readonly open = new Set<string>();
  private isReading = false;

  constructor(
    private readonly caller: Principal,
    private readonly trading: Trading,
    private readonly symbols: SymbolsService,
    private readonly tell: (event: object) => void,
  ) {}

  changed(listIds: readonly string[]): void {
    for (const listId of listIds) this.waiting.add(listId);
    if (!this.isReading) void this.read();
  }

  private async read(): Promise<void> {
    this.isReading = true;
    for (const listId of this.waiting) {
      this.waiting.delete(listId);
      try {
        await this.report(listId);
      } catch {
        // What cannot be read now is told with its next change.
      }
    }
    this.isReading = false;
  }

  private async report(listId: string): Promise<void> {
    const list = await this.trading.orderList(this.caller, listId);
    const symbol = this.symbols.ofMarket(list.market_id)?.symbol;
    const isOpen = list.status === 'open';
    if (symbol === undefined || (isOpen && this.open.has(listId))) return;
    if (isOpen) this.open.add(listId);
    else this.open.delete(listId);
    this.tell(listStatusOf(list, symbol));
  }
}
