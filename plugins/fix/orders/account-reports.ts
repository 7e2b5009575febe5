import {
  type AccountEvent,
  type ApiError,
  type FillDto,
  type OrderDto,
  type Trading,
  ORDER_IDS,
} from '../../../src/index.js';
import type { Client } from '../client.js';
import type { Field } from '../codec/fields.js';
import { TAG } from '../codec/tags.js';
import {
  EXEC_TYPE,
  type Execution,
  executionReportOf,
  ORD_STATUS,
  ordStatusOf,
  RunningFills,
} from './execution-report.js';
import type { Replacement, RequestLinks } from './request-links.js';

type AccountSnapshot = AccountEvent<'account.snapshot'>;
type AccountUpdate = AccountEvent<'account.update'>;

/** Value of ExecRestatementReason (378). */
const OTHER = '99';

/** What was reported so far. */
export interface ReportedProgress {
  readonly accountSequence: number | null;
  readonly lastOrderId: number;
}

export interface ReportSink {
  /** As it was stored last. */
  readonly progress: ReportedProgress;
  /** Reports of one moment, perhaps none, and what has been reported with them: to be stored together. */
  report(reports: readonly (readonly Field[])[], progress: ReportedProgress): void;
}

/**
 * Reports what happens in the account of a client, each event once: the place up to which it has been told is stored
 * with the reports themselves, and after a break the next log-on goes on from there. ExecIDs are made of the ids of
 * fills and orders, so the same event has the same ExecID whenever it is reported.
 */
export class AccountReports {
  private progress: ReportedProgress;
  /** Events of a break, until the account is told as it is; they are reported together. */
  private missed: AccountUpdate[] | undefined;
  /** Live orders of a snapshot whose last part is still to come. */
  private readonly snapshot: OrderDto[] = [];
  private stop: () => void = () => undefined;
  private hasEnded = false;

  constructor(
    private readonly trading: Trading,
    private readonly client: Client,
    private readonly links: RequestLinks,
    private readonly sink: ReportSink,
  ) {
    this.progress = sink.progress;
  }

  /** Rejects with what `Trading.follow` rejects with. */
  async begin(): Promise<void> {
    this.missed = [];
    const listener = {
      onEvent: (event: AccountEvent) => this.take(event),
      onEnd: (reason: ApiError) => this.client.end(reason.message),
    };
    const offset = this.progress.accountSequence ?? undefined;
    const stop = await this.trading.follow(this.client.principal, this.client.accountId, listener, offset);
    if (this.hasEnded) {
      stop();
      return;
    }
    this.stop = stop;
    const missed = this.missed;
    this.missed = undefined;
    if (missed.length > 0) this.report(together(missed));
  }

  end(): void {
    this.hasEnded = true;
    this.stop();
  }

  private take(event: AccountEvent): void {
    if (event.type === 'account.snapshot') this.takeSnapshot(event as AccountSnapshot);
    else if (this.missed !== undefined) this.missed.push(event as AccountUpdate);
    else this.takeLive(event as AccountUpdate);
  }

  private takeLive(update: AccountUpdate): void {
    if (update.sequence === update.data.previous_sequence + 1) {
      this.report(update);
      return;
    }
    // A page of what this process missed: its orders may be ahead of its fills until all pages are there.
    this.stop();
    this.begin().catch(() => this.client.end('Reports cannot be made right now; log on again.'));
  }

  /**
   * The first log-on reports nothing that was before it. Later, a snapshot comes only where the client was away for too
   * much to tell: then it gets the status of its live orders.
   */
  private takeSnapshot({ sequence, data, created_at: at }: AccountSnapshot): void {
    this.snapshot.push(...data.orders);
    if (!data.is_last) return;
    const orders = this.snapshot.splice(0);
    const isFirst = this.progress.accountSequence === null;
    this.tell(
      isFirst ? [] : orders.map((order) => statusReportOf(order, `${order.order_id}.${sequence}.status`, at)),
      sequence!,
      orders,
    );
  }

  private report({ sequence, data: { orders, fills } }: AccountUpdate): void {
    const isNew = (order: OrderDto): boolean => numberOf(order) > this.progress.lastOrderId;
    const replacements = new Map<string, Replacement>();
    for (const order of orders.filter(isNew)) {
      const replacement = this.links.takeReplacement(order.client_order_id);
      // Where the new order was refused, the old one is just gone.
      if (replacement !== undefined && order.status !== 'rejected')
        replacements.set(order.order_id, replacement);
    }
    const replaced = new Set([...replacements.values()].map(({ orderId }) => orderId));
    const reports = orders.flatMap((order) =>
      reportsOf(order, {
        fills: fills.filter(({ order_id: orderId }) => orderId === order.order_id),
        isNew: isNew(order),
        isReplaced: replaced.has(order.order_id),
        replacement: replacements.get(order.order_id),
        cancelledBy: order.status === 'cancelled' ? this.links.takeCancellation(order.order_id) : undefined,
      }),
    );
    this.tell(reports, sequence!, orders);
  }

  private tell(reports: readonly Field[][], accountSequence: number, orders: readonly OrderDto[]): void {
    const lastOrderId = orders.reduce(
      (last, order) => Math.max(last, numberOf(order)),
      this.progress.lastOrderId,
    );
    this.progress = { accountSequence, lastOrderId };
    this.sink.report(reports, this.progress);
  }
}

/** What happened to an order. */
interface OrderChange {
  readonly fills: readonly FillDto[];
  readonly isNew: boolean;
  /** Another order has taken its place, whose report tells so. */
  readonly isReplaced: boolean;
  readonly replacement: Replacement | undefined;
  /** The ClOrdID of the client's request. */
  readonly cancelledBy: string | undefined;
}

/** That an order is new, each of its fills, and how it ended otherwise. */
export function reportsOf(order: OrderDto, change: OrderChange): Field[][] {
  const running = new RunningFills(order, change.fills);
  const reports: Field[][] = [];
  const report = (execution: Omit<Execution, 'cumQty' | 'avgPx'>): void => {
    const { cumQty, avgPx } = running;
    reports.push(executionReportOf(order, { cumQty, avgPx, ...execution }));
  };
  const status = ordStatusOf(order);
  const { order_id: id, updated_at: at, created_at: createdAt } = order;
  if (change.isNew && status !== ORD_STATUS.rejected) report(newnessOf(id, createdAt, change.replacement));
  for (const fill of change.fills) {
    running.add(fill);
    const ordStatus = running.cumQty === order.size ? ORD_STATUS.filled : running.ordStatus;
    report({ execId: fill.fill_id, execType: EXEC_TYPE.trade, ordStatus, at: fill.executed_at, fill });
  }
  const ended = ENDED.get(status);
  if (ended !== undefined) {
    const { cancelledBy } = change;
    if (!change.isReplaced) {
      report({
        execId: `${id}.end`,
        execType: ended,
        ordStatus: status,
        at,
        ...(cancelledBy !== undefined && {
          clOrdId: cancelledBy,
          ...(order.client_order_id !== null && { origClOrdId: order.client_order_id }),
        }),
        more: reasonOf(order),
      });
    }
  } else if (reports.length === 0) {
    report({ ...restatementOf(order), execId: `${id}.${order.sequence}`, ordStatus: running.ordStatus, at });
  }
  return reports;
}

/** An order as it stands, as an answer or after a break. */
export function statusReportOf(
  order: OrderDto,
  execId: string,
  at: string,
  more: readonly Field[] = [],
): Field[] {
  return executionReportOf(order, {
    execId,
    execType: EXEC_TYPE.status,
    ordStatus: ordStatusOf(order),
    cumQty: order.filled_size,
    avgPx: order.average_fill_price ?? '0',
    at,
    more: [...reasonOf(order), ...more],
  });
}

/** The ExecTypes that tell of an end, by OrdStatus; of a filled order its last fill does. */
const ENDED: ReadonlyMap<string, string> = new Map([
  [ORD_STATUS.cancelled, EXEC_TYPE.cancelled],
  [ORD_STATUS.expired, EXEC_TYPE.expired],
  [ORD_STATUS.rejected, EXEC_TYPE.rejected],
]);

function newnessOf(
  orderId: string,
  at: string,
  replacement: Replacement | undefined,
): Omit<Execution, 'cumQty' | 'avgPx'> {
  const terms = { execId: `${orderId}.new`, ordStatus: ORD_STATUS.new, at };
  return replacement === undefined
    ? { ...terms, execType: EXEC_TYPE.new }
    : { ...terms, execType: EXEC_TYPE.replaced, origClOrdId: replacement.origClOrdId };
}

/** A stop was triggered, or somebody has amended the order. */
function restatementOf({ type, status }: OrderDto): Pick<Execution, 'execType' | 'more'> {
  const isTriggered = type.startsWith('stop') && status !== 'untriggered';
  return isTriggered
    ? { execType: EXEC_TYPE.triggered }
    : { execType: EXEC_TYPE.restated, more: [[TAG.ExecRestatementReason, OTHER]] };
}

function reasonOf({ status_reason: reason }: OrderDto): Field[] {
  return reason === null ? [] : [[TAG.Text, reason]];
}

/** Several updates as one: orders as they are after the last of them. */
function together(updates: readonly AccountUpdate[]): AccountUpdate {
  const orders = new Map(updates.flatMap(({ data }) => data.orders).map((order) => [order.order_id, order]));
  const last = updates.at(-1)!;
  return {
    ...last,
    data: {
      ...last.data,
      orders: [...orders.values()].sort((a, b) => numberOf(a) - numberOf(b)),
      fills: updates.flatMap(({ data }) => data.fills),
    },
  };
}

function numberOf({ order_id: orderId }: OrderDto): number {
  return ORDER_IDS.parse(orderId)!;
}
