import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { type DataSource, type EntityManager, LessThan, type Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import type { MarketView } from '../../../core/core.types.js';
import { resultOf } from '../../../core/http/outcome.js';
import type { CorrectSettlement } from '../../../domain/engine/commands.js';
import type { SettleMarket } from '../../../domain/engine/preview.js';
import { unitsOf } from '../../../domain/market/units.js';
import { formatAmount, parseAmount } from '../../../domain/money/amount.js';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { ApiError } from '../../../platform/http/errors.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../platform/http/pagination.js';
import { personOf, type Principal } from '../../../platform/security/principal.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { SettlementProposalEntity } from './settlement-proposal.entity.js';
import { SettlementEntity } from './settlement.entity.js';
import {
  type SettlementDto,
  type SettlementPreviewDto,
  type SettlementStateDto,
  toSettlementDto,
  toSettlementPreviewDto,
  toSettlementProposalDto,
} from './settlement.dto.js';

/** Whether a settlement happened, or waits for a second operator. */
export type SettlementDecision = 'settled' | 'proposed';

type SettlementCommand = SettleMarket | CorrectSettlement;

/** The owner under which the core keeps for good which proposals it has carried out. */
const PROPOSAL_KEYS_OWNER = 'settlement_proposal';

/**
 * Settling event markets and correcting settlements. Where `SETTLEMENT_FOUR_EYES` is on, what one operator
 * sends is a proposal, and the same value from another person carries it out.
 */
@Injectable()
export class SettlementsService {
  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    @InjectRepository(SettlementEntity) private readonly settlements: Repository<SettlementEntity>,
    @InjectRepository(SettlementProposalEntity)
    private readonly proposals: Repository<SettlementProposalEntity>,
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Throws `market_not_found`. */
  async state(marketId: string): Promise<SettlementStateDto> {
    const { status, settlementValue, settledAtMs } = this.catalog.view(marketId);
    const proposal = await this.proposals.findOneBy({ marketId, status: 'open' });
    return {
      market_id: marketId,
      status,
      settlement_value: settlementValue === null ? null : formatAmount(settlementValue),
      settled_at: settledAtMs === null ? null : new Date(settledAtMs).toISOString(),
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
    if ('code' in preview) throw ApiError.fromRefusal(preview);
    const kind = command.type === 'correct_settlement' ? 'correction' : 'settlement';
    return toSettlementPreviewDto(kind, preview, unitsOf(market.definition));
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

  /** Throws also `settlement_not_reversible`, which says how much is missing. */
  correct(principal: Principal, marketId: string, settlementValue: string): Promise<SettlementDecision> {
    this.catalog.view(marketId);
    return this.decide(principal, { type: 'correct_settlement', marketId, settlementValue });
  }

  /** Takes back what waits for a second operator; any operator may. Throws `not_found`. */
  async withdraw(principal: Principal, marketId: string): Promise<void> {
    this.catalog.view(marketId);
    const { affected } = await this.proposals.update(
      { marketId, status: 'open' },
      { status: 'withdrawn', endedBy: personOf(principal), endedAt: new Date() },
    );
    if (affected === 0)
      throw new ApiError('not_found', 'No settlement of this market waits for a second operator.');
  }

  /** Throws `conflict` where somebody proposed another value. */
  private async decide(principal: Principal, command: SettlementCommand): Promise<SettlementDecision> {
    if (!this.config.settlementFourEyes) {
      const { outcomes } = await this.core.submit({ commands: [command] });
      resultOf(outcomes[0], 'market');
      return 'settled';
    }
    return this.dataSource.transaction((manager) => this.agree(manager, personOf(principal), command));
  }

  /** The row lock makes two operators who agree at once take turns: the second finds nothing open. */
  private async agree(
    manager: EntityManager,
    person: string,
    command: SettlementCommand,
  ): Promise<SettlementDecision> {
    const { marketId } = command;
    const settlementValue = parseAmount(command.settlementValue!)!;
    await manager
      .createQueryBuilder()
      .insert()
      .into(SettlementProposalEntity)
      .values({ marketId, settlementValue, proposedBy: person })
      .orIgnore()
      .execute();
    const proposal = await manager.findOne(SettlementProposalEntity, {
      where: { marketId, status: 'open' },
      lock: { mode: 'pessimistic_write' },
    });
    if (proposal === null) {
      throw new ApiError(
        'conflict',
        'Another operator has just decided. Read the market, then send it again.',
      );
    }
    if (proposal.settlementValue !== settlementValue) {
      const proposed = formatAmount(proposal.settlementValue);
      throw new ApiError(
        'conflict',
        `${proposal.proposedBy} proposed ${proposed}. Send that value to agree, or withdraw the proposal first.`,
      );
    }
    if (proposal.proposedBy === person) {
      // What the engine would refuse is not worth anybody's second look, such as what has been settled meanwhile.
      const preview = await this.core.preview(command);
      if ('code' in preview) throw ApiError.fromRefusal(preview);
      return 'proposed';
    }
    // The proposal names the command, so a crash between the commits repeats it without effect.
    const { outcomes } = await this.core.submit({
      commands: [command],
      idempotency: {
        owner: PROPOSAL_KEYS_OWNER,
        key: proposal.proposalId,
        fingerprint: command.type,
        keptForGood: true,
      },
    });
    resultOf(outcomes[0], 'market');
    await manager.update(
      SettlementProposalEntity,
      { proposalId: proposal.proposalId },
      { status: 'carried_out', endedBy: person, endedAt: new Date() },
    );
    return 'settled';
  }
}

function commandFor({ definition, status }: MarketView, settlementValue: string): SettlementCommand {
  const { marketId } = definition;
  return status === 'settled'
    ? { type: 'correct_settlement', marketId, settlementValue }
    : { type: 'set_market_status', marketId, status: 'settled', settlementValue };
}
