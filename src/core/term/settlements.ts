/** Determines the holders that the settlements of a batch pay; their commands pass them to the engine. */
import type {
  Command,
  ContinueSettlement,
  CorrectEventGroup,
  Refusal,
  SetMarketStatus,
} from '../../domain/engine/commands.js';
import { refusal } from '../../domain/engine/context.js';
import type { EngineState } from '../../domain/engine/state.js';
import { ONE } from '../../domain/money/amount.js';
import type { DueScope } from './due-work.js';
import type { Projector } from '../projection/projector.js';
import { CORRECTED_HOLDERS_MAX, type SettlementHolders } from './settlement-holders.js';
import type { DueMarkets } from './due-markets.js';
import { commandsIn, type Work } from '../requests/work.js';

/** The holders paid by the settlements in a batch. */
export interface BatchSettlements {
  /** The holders to pay at once, by market. */
  readonly paid: ReadonlyMap<string, readonly number[]>;
  /** The same of event groups. */
  readonly paidInGroups: ReadonlyMap<string, readonly number[]>;
  /** The holders paid by a settlement that is to be corrected, by market; null if too many. */
  readonly corrected: ReadonlyMap<string, readonly number[] | null>;
  /** The same of event groups. */
  readonly correctedGroups: ReadonlyMap<string, CorrectedGroup>;
  /** The next part of a continuing settlement. */
  readonly continued: ContinueSettlement | null;
}

/** Of a group, the markets whose values a batch may change, and the holders paid in any of them; null if too many. */
interface CorrectedGroup {
  readonly marketIds: readonly string[];
  readonly holders: readonly number[] | null;
}

export class Settlements {
  constructor(
    private readonly state: EngineState,
    private readonly due: DueMarkets,
    private readonly holders: SettlementHolders,
    private readonly projector: Projector,
  ) {}

  /** The holders to pay by settlements in this batch, and by the continuing one. */
  async of(works: readonly Work[], due: DueScope | null): Promise<BatchSettlements> {
    const paid = new Map<string, readonly number[]>();
    const paidInGroups = new Map<string, readonly number[]>();
    const corrected = new Map<string, readonly number[] | null>();
    const correctedGroups = new Map<string, CorrectedGroup>();
    const settling = due === null ? undefined : this.due.nextSettling();
    // Holders are read from the tables, so those must hold all that is done so far, the batch before included.
    if (settling !== undefined || works.some(isAboutSettlement)) {
      await this.projector.reached(this.state.sequence);
    }
    for (const work of works) {
      for (const command of commandsIn(work)) {
        if (command.type === 'correct_settlement') {
          const { marketId } = command;
          if (!corrected.has(marketId)) corrected.set(marketId, await this.holders.ofSettled([marketId]));
        } else if (command.type === 'correct_event_group') {
          const { groupId } = command;
          if (!correctedGroups.has(groupId))
            correctedGroups.set(groupId, await this.correctedGroup(groupId, works));
        } else if (command.type === 'settle_event_group' && work.kind === 'request') {
          const { groupId } = command;
          const marketIds = this.state.groups.get(groupId)?.marketIds ?? [];
          paidInGroups.set(groupId, await this.holders.firstIn(marketIds));
        } else if (isSettlement(command) && work.kind === 'request') {
          const { marketId } = command;
          if (!paid.has(marketId)) paid.set(marketId, await this.holders.first(marketId));
        }
      }
    }
    const found = { paid, paidInGroups, corrected, correctedGroups };
    if (settling === undefined) return { ...found, continued: null };
    const { marketId } = settling.definition;
    const holders = await this.holders.next(marketId);
    return { ...found, continued: { type: 'continue_settlement', marketId, holders } };
  }

  /** The market that wins so far, and all that the batch would let win: one correction may follow the other. */
  private async correctedGroup(groupId: string, works: readonly Work[]): Promise<CorrectedGroup> {
    const { groups, markets } = this.state;
    const named = new Set(
      works
        .flatMap((work) => commandsIn(work))
        .filter((command) => command.type === 'correct_event_group' && command.groupId === groupId)
        .map((command) => (command as CorrectEventGroup).winningMarketId),
    );
    const marketIds = (groups.get(groupId)?.marketIds ?? []).filter(
      (marketId) => named.has(marketId) || markets.get(marketId)!.settlementValue === ONE,
    );
    return { marketIds, holders: await this.holders.ofSettled(marketIds) };
  }
}

function isSettlement(command: Command): command is SetMarketStatus {
  return command.type === 'set_market_status' && command.status === 'settled';
}

const ABOUT_SETTLEMENT: ReadonlySet<Command['type']> = new Set([
  'correct_settlement',
  'settle_event_group',
  'correct_event_group',
]);

function isAboutSettlement(work: Work): boolean {
  return commandsIn(work).some((command) => isSettlement(command) || ABOUT_SETTLEMENT.has(command.type));
}

/** Says whom a settlement pays at once; a correction of too many is refused. */
export function withHolders<C extends Command>(
  command: C,
  { paid, paidInGroups, corrected, correctedGroups }: BatchSettlements,
): C | Refusal {
  const isTooLarge =
    (command.type === 'correct_settlement' && corrected.get(command.marketId) === null) ||
    (command.type === 'correct_event_group' && correctedGroups.get(command.groupId)?.holders === null);
  if (isTooLarge) {
    return refusal(
      'settlement_not_reversible',
      `More than ${CORRECTED_HOLDERS_MAX} accounts were paid; a settlement of so many cannot be corrected.`,
    );
  }
  const holders =
    command.type === 'settle_event_group'
      ? paidInGroups.get(command.groupId)
      : isSettlement(command)
        ? paid.get(command.marketId)
        : undefined;
  return holders === undefined ? command : { ...command, holders };
}
