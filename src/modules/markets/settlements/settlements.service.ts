import { errorOf } from '../../accounts/commands/refusals.js';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, type Repository } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CoreService } from '../../../core/core.service.js';
import type { MarketView } from '../../../core/core.types.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { isRefusal } from '../../../domain/engine/context.js';
import { unitsOf } from '../../../domain/market/units.js';
import { formatAmount, ZERO } from '../../../domain/money/amount.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { SettlementApprovals, type SettlementCommand } from './settlement-approvals.service.js';
import { SettlementEntity } from './settlement.entity.js';
import {
  amountPaid,
  type SettlementDto,
  type SettlementPreviewDto,
  type SettlementProgress,
  type SettlementStateDto,
  toSettlementDto,
  toSettlementPreviewDto,
  toSettlementProposalDto,
} from './settlement.dto.js';

/** Whether a settlement happened, or the approval by which it waits for a second operator. */
export type SettlementDecision = 'settled' | { readonly approval_id: string };

/**
 * Settling event markets and correcting settlements. With `FOUR_EYES`, one operator's request is a proposal, and
 * another person's request with the same value carries it out.
 */
@Injectable()
export class SettlementsService {
  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly audit: AuditLog,
    @InjectRepository(SettlementEntity) private readonly settlements: Repository<SettlementEntity>,
    private readonly approvals: SettlementApprovals,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Throws `market_not_found`. */
  async state(marketId: string): Promise<SettlementStateDto> {
    const market = this.catalog.view(marketId);
    const { status, settlementValue, settledAtMs } = market;
    const proposal = await this.approvals.pending(marketId);
    const progress = await this.progressOf(marketId);
    return {
      market_id: marketId,
      status,
      settlement_value: settlementValue === null ? null : formatAmount(settlementValue),
      settled_at: settledAtMs === null ? null : new Date(settledAtMs).toISOString(),
      holders: progress.longs + progress.shorts,
      paid: progress.paid,
      amount_paid: formatAmount(amountPaid(market, settlementValue ?? ZERO, progress)),
      started_at: progress.startedAt?.toISOString() ?? null,
      finished_at: progress.finishedAt?.toISOString() ?? null,
      proposal: proposal && toSettlementProposalDto(proposal),
    };
  }

  /** Every value at which the market was settled, newest first. Throws `market_not_found`. */
  async list(marketId: string, query: PageQueryDto): Promise<Page<SettlementDto>> {
    this.catalog.view(marketId);
    const before = decodeCursor(query.cursor, ['integer']);
    const rows = await this.settlements.find({
      where: before === undefined ? { marketId } : { marketId, sequence: LessThan(before[0]) },
      order: { sequence: 'DESC' },
      take: query.limit + 1,
    });
    return pageOf(rows, query.limit, (settlement) => [settlement.sequence], toSettlementDto);
  }

  /** Throws what the settlement, or the correction of a settled market, would be refused with. */
  async preview(marketId: string, settlementValue: string): Promise<SettlementPreviewDto> {
    const market = this.catalog.view(marketId);
    const command = commandFor(market, settlementValue);
    const preview = await this.core.preview(command);
    if (isRefusal(preview)) throw errorOf(preview);
    const kind = command.type === 'correct_settlement' ? 'correction' : 'settlement';
    const holders = await this.progressOf(marketId);
    return toSettlementPreviewDto(kind, preview, holders, unitsOf(market.definition));
  }

  /** Throws `market_not_found`, `invalid_status_change`, `invalid_amount`, `amount_too_precise`, and as `decide`. */
  settle(principal: Principal, marketId: string, settlementValue: string): Promise<SettlementDecision> {
    this.catalog.view(marketId);
    return this.decide(principal, {
      type: 'set_market_status',
      marketId,
      status: 'settled',
      settlementValue,
    });
  }

  /** Throws also `settlement_not_reversible`, which states the missing amount. */
  correct(principal: Principal, marketId: string, settlementValue: string): Promise<SettlementDecision> {
    this.catalog.view(marketId);
    return this.decide(principal, { type: 'correct_settlement', marketId, settlementValue });
  }

  /** Takes back what waits for a second operator; any operator may. Throws `not_found`. */
  async withdraw(principal: Principal, marketId: string): Promise<void> {
    this.catalog.view(marketId);
    await this.approvals.withdraw(principal, marketId);
  }

  /** Counted outside the single writer, which must not wait for it where the holders are many. */
  private async progressOf(marketId: string): Promise<SettlementProgress> {
    await this.core.projected();
    const [row] = await this.settlements.query<ProgressRow[]>(PROGRESS, [marketId]);
    const { longs, shorts, paid, paid_long_lots, paid_short_lots, started_at, finished_at } = row!;
    return {
      longs: Number(longs),
      shorts: Number(shorts),
      paid: Number(paid),
      paidLongLots: BigInt(paid_long_lots),
      paidShortLots: BigInt(paid_short_lots),
      startedAt: started_at,
      finishedAt: finished_at,
    };
  }

  /** Throws `conflict` where somebody proposed another value. */
  private async decide(principal: Principal, command: SettlementCommand): Promise<SettlementDecision> {
    if (this.config.fourEyes) return this.approvals.decide(principal, command);
    const { outcomes } = await this.core.submit({
      commands: [command],
      actor: actorOf(principal),
      audit: this.audit.entryFor({
        target: { type: 'market', id: command.marketId },
        details: { settlement_value: command.settlementValue },
      }),
    });
    resultOf(outcomes[0], 'market');
    return 'settled';
  }
}

interface ProgressRow {
  readonly longs: string;
  readonly shorts: string;
  readonly paid: string;
  readonly paid_long_lots: string;
  readonly paid_short_lots: string;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** A holder has either open contracts or settled ones. The first settlement is the one that was paid in parts. */
const PROGRESS = `
  SELECT count(*) FILTER (WHERE size_lots > 0 OR settled_lots > 0) AS longs,
    count(*) FILTER (WHERE size_lots < 0 OR settled_lots < 0) AS shorts,
    count(*) FILTER (WHERE settled_lots <> 0) AS paid,
    coalesce(sum(settled_lots) FILTER (WHERE settled_lots > 0), 0)::text AS paid_long_lots,
    coalesce(-sum(settled_lots) FILTER (WHERE settled_lots < 0), 0)::text AS paid_short_lots,
    coalesce(
      (SELECT settled_at FROM settlement_chunks WHERE market_id = $1 ORDER BY sequence LIMIT 1),
      (SELECT settled_at FROM settlements WHERE market_id = $1 ORDER BY sequence LIMIT 1)
    ) AS started_at,
    (SELECT settled_at FROM settlements WHERE market_id = $1 ORDER BY sequence LIMIT 1) AS finished_at
  FROM positions WHERE market_id = $1 AND is_holder`;

function commandFor({ definition, status }: MarketView, settlementValue: string): SettlementCommand {
  const { marketId } = definition;
  return status === 'settled'
    ? { type: 'correct_settlement', marketId, settlementValue }
    : { type: 'set_market_status', marketId, status: 'settled', settlementValue };
}
