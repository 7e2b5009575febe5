import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { unitsOf } from '../../../domain/market/units.js';
import { formatAmount } from '../../../domain/money/amount.js';
import { addPnl, NO_PNL, type Pnl, pnlBetween, unrealizedAt } from '../../../domain/pnl/pnl.js';
import type { CostMethod } from '../../../domain/pnl/traded-position.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import { periodOf } from '../../../kit/http/period.js';
import type { Principal } from '../../../kit/security/principal.js';
import { type Moment, MomentsService } from '../../accounts/moments/moments.service.js';
import {
  type PnlDto,
  type PnlFiguresDto,
  type PnlGroupDto,
  type PnlQueryDto,
  type PnlTotalDto,
  toMarkDto,
  toPnlFigures,
} from './pnl.dto.js';
import {
  PositionHistoryService,
  type Span,
  type SpanFigures,
} from '../../markets/fills/position-history.service.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** The last day that both PostgreSQL and four digits of a year can tell; a cursor names no later one. */
const DAY_MAX_MS = Date.UTC(9999, 11, 31);

const FILL_DAYS = `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, market_id FROM fill_days
  WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND (day, market_id) < ($4::date, $5)
  ORDER BY day DESC, market_id DESC LIMIT $6`;

/** The request, with its times resolved to sequences. */
interface PnlRequest {
  readonly accountId: number;
  readonly method: CostMethod;
  readonly fromMs: number | undefined;
  readonly after: number;
  readonly moment: Moment;
}

/** What a group covers: a market in the whole period, or in one UTC day of it. */
interface GroupKey {
  readonly marketId: string;
  readonly dayMs: number | null;
}

type SingleFigures = Pick<PnlDto, 'asset' | keyof PnlFiguresDto>;

interface Group extends GroupKey {
  readonly span: Span;
  readonly figures: SpanFigures;
  readonly pnl: Pnl;
}

/** Profit and loss of an account, whatever it has traded. */
@Injectable()
export class PnlService {
  constructor(
    private readonly access: AccountAccessService,
    private readonly moments: MomentsService,
    private readonly history: PositionHistoryService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /**
   * Every fill acknowledged before the request is in it. Costs a few index seeks for each market that the
   * account has ever traded, and as many for each day on the page.
   * Throws `account_not_found`, `validation_failed`, `invalid_cursor`, and
   * `temporarily_unavailable` while many fills are to be worked off.
   */
  async of(principal: Principal, account: string, query: PnlQueryDto): Promise<PnlDto> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const request = await this.read(accountId, query);
    const marketIds = await this.history.tradedMarkets(accountId);
    // The stored fills decide which days exist, so catch up first.
    if (query.group_by === 'day') await this.history.workOff(marketIds);
    const byMarket = await this.groupsOf(
      request,
      marketIds.map((marketId) => ({ marketId, dayMs: null })),
    );
    const concerned = byMarket.filter(({ figures }) => figures.isActive || figures.at.sizeLots !== 0);
    const totals = totalsOf(concerned);
    const page =
      query.group_by === 'market'
        ? pageByMarket(request, concerned, query)
        : await this.pageByDay(request, query);
    const { moment, fromMs } = request;
    return {
      account_id: ACCOUNT_IDS.format(accountId),
      method: query.method,
      group_by: query.group_by,
      from: fromMs === undefined ? null : timeOf(fromMs),
      to: query.to === undefined ? null : timeOf(periodOf(query).toMs!),
      as_of: timeOf(moment.timeMs),
      ledger_sequence: moment.sequence,
      ...singleFigures(totals),
      totals,
      groups: page.data,
      next_cursor: page.next_cursor,
    };
  }

  private async read(accountId: number, query: PnlQueryDto): Promise<PnlRequest> {
    const { fromMs, toMs } = periodOf(query);
    const moment = await this.endOf(toMs, query);
    const after = fromMs === undefined ? 0 : await this.moments.sequenceBefore(fromMs);
    // A period that begins after its end is empty.
    return { accountId, method: query.method, fromMs, after: Math.min(after, moment.sequence), moment };
  }

  /** The moment before `to`, or an explicitly requested moment; else now. */
  private async endOf(toMs: number | undefined, query: PnlQueryDto): Promise<Moment> {
    if (toMs === undefined) return this.moments.of(query);
    for (const field of ['as_of', 'at_sequence'] as const) {
      if (query[field] !== undefined) {
        throw ApiError.validation([{ field, message: `${field} must be left out where to is given` }]);
      }
    }
    return this.moments.before(toMs);
  }

  private async groupsOf(request: PnlRequest, keys: readonly GroupKey[]): Promise<Group[]> {
    const spans = await this.spansOf(request, keys);
    const figures = await this.history.figuresOf(request.accountId, spans);
    return keys.map((key, i) => {
      const { before, at, mark, definition } = figures[i]!;
      const { method } = request;
      const unrealized = unrealizedAt(at, method, definition.lotSize, mark);
      return {
        ...key,
        span: spans[i]!,
        figures: figures[i]!,
        pnl: pnlBetween(before, at, method, unrealized),
      };
    });
  }

  private async spansOf({ after, moment }: PnlRequest, keys: readonly GroupKey[]): Promise<Span[]> {
    const days = [...new Set(keys.flatMap(({ dayMs }) => dayMs ?? []))];
    const edges = await this.moments.sequencesBefore(days.flatMap((dayMs) => [dayMs, dayMs + DAY_MS]));
    return keys.map(({ marketId, dayMs }) => {
      if (dayMs === null) {
        return { marketId, after, until: moment.sequence, endsNow: moment.isPresent };
      }
      const edge = 2 * days.indexOf(dayMs);
      return {
        marketId,
        after: Math.max(after, edges[edge]!),
        until: Math.min(moment.sequence, edges[edge + 1]!),
        endsNow: moment.isPresent && dayMs + DAY_MS > moment.timeMs,
      };
    });
  }

  /** Newest day first, its markets from the last to the first. */
  private async pageByDay(request: PnlRequest, { cursor, limit }: PnlQueryDto): Promise<Page<PnlGroupDto>> {
    const [beforeDayMs, beforeMarket] = decodeCursor(cursor, ['integer', 'text']) ?? [DAY_MAX_MS, ''];
    const { rows } = await this.pool.query<{ day: string; market_id: string }>(FILL_DAYS, [
      request.accountId,
      dayOf(request.fromMs ?? 0),
      dayOf(request.moment.timeMs),
      dayOf(Math.min(beforeDayMs, DAY_MAX_MS)),
      beforeMarket,
      limit + 1,
    ]);
    const page = pageOf(
      rows.map((row) => ({ marketId: row.market_id, dayMs: Date.parse(row.day) })),
      limit,
      ({ marketId, dayMs }) => [dayMs, marketId],
      (key) => key,
    );
    const groups = await this.groupsOf(request, page.data);
    return {
      // On the first and on the last day of a period, all fills may be outside of it.
      data: groups.filter(({ figures }) => figures.isActive).map((group) => toGroupDto(request, group)),
      next_cursor: page.next_cursor,
    };
  }
}

/** In order of the markets. */
function pageByMarket(
  request: PnlRequest,
  groups: readonly Group[],
  { cursor, limit }: PnlQueryDto,
): Page<PnlGroupDto> {
  const [after] = decodeCursor(cursor, ['text']) ?? [''];
  return pageOf(
    groups.filter(({ marketId }) => marketId > after).slice(0, limit + 1),
    limit,
    ({ marketId }) => [marketId],
    (group) => toGroupDto(request, group),
  );
}

function totalsOf(groups: readonly Group[]): PnlTotalDto[] {
  const sums = new Map<string, Pnl>();
  for (const { figures, pnl } of groups) {
    const { quoteAsset } = figures.definition;
    sums.set(quoteAsset, addPnl(sums.get(quoteAsset) ?? NO_PNL, pnl));
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([asset, pnl]) => ({ asset, ...toPnlFigures(pnl) }));
}

/** The figures of the only asset; zeros if there is none. */
function singleFigures([first, ...others]: readonly PnlTotalDto[]): SingleFigures {
  if (first === undefined) return { asset: null, ...toPnlFigures(NO_PNL) };
  if (others.length === 0) return first;
  return { asset: null, realized_pnl: null, unrealized_pnl: null, fees: null, net_pnl: null };
}

function toGroupDto({ accountId, method, fromMs }: PnlRequest, group: Group): PnlGroupDto {
  const { marketId, dayMs, span, figures, pnl } = group;
  const { at, definition, mark } = figures;
  const beginMs = Math.max(fromMs ?? 0, dayMs ?? 0);
  // A time may end between two commits of one millisecond, a sequence cannot.
  const fills = new URLSearchParams({
    account_id: ACCOUNT_IDS.format(accountId),
    ...(beginMs > 0 && { from: timeOf(beginMs) }),
    at_sequence: String(span.until),
  });
  return {
    market_id: marketId,
    day: dayMs === null ? null : dayOf(dayMs),
    asset: definition.quoteAsset,
    position_size: unitsOf(definition).size.format(at.sizeLots),
    cost_basis: formatAmount(at[method].costBasis),
    mark: toMarkDto(mark),
    ...toPnlFigures(pnl),
    fills: `/markets/${encodeURIComponent(marketId)}/fills?${fills.toString()}`,
  };
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** The UTC day, such as `2026-11-21`. */
function dayOf(timeMs: number): string {
  return timeOf(timeMs).slice(0, 10);
}
