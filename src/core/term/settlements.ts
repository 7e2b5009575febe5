/** Determines the holders that the settlements of a batch pay; their commands pass them to the engine. */
import type { Command, ContinueSettlement, Refusal, SetMarketStatus } from '../../domain/engine/commands.js';
import { refusal } from '../../domain/engine/context.js';
import type { EngineState } from '../../domain/engine/state.js';
import type { DueScope } from '../due-work.js';
import type { Projector } from '../projection/projector.js';
import { CORRECTED_HOLDERS_MAX, type SettlementHolders } from '../settlement-holders.js';
import type { DueMarkets } from './due-markets.js';
import { commandsIn, type Work } from './work.js';

/** The holders paid by the settlements in a batch. */
export interface BatchSettlements {
  /** The holders to pay at once, by market. */
  readonly paid: ReadonlyMap<string, readonly number[]>;
  /** The same of event groups. */
  readonly paidInGroups: ReadonlyMap<string, readonly number[]>;
  /** The holders paid by a settlement that is to be corrected; null if too many. */
  readonly corrected: ReadonlyMap<string, readonly number[] | null>;
  /** The next part of a continuing settlement. */
  readonly continued: ContinueSettlement | null;
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
    const settling = due === null ? undefined : this.due.nextSettling();
    // Holders are read from the tables, so those must hold all that is done so far, the batch before included.
    if (settling !== undefined || works.some(isAboutSettlement)) {
      await this.projector.reached(this.state.sequence);
    }
    for (const work of works) {
      for (const command of commandsIn(work)) {
        if (command.type === 'correct_settlement') {
          const { marketId } = command;
          if (!corrected.has(marketId)) corrected.set(marketId, await this.holders.ofSettled(marketId));
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
    if (settling === undefined) return { paid, paidInGroups, corrected, continued: null };
    const { marketId } = settling.definition;
    const holders = await this.holders.next(marketId);
    return { paid, paidInGroups, corrected, continued: { type: 'continue_settlement', marketId, holders } };
  }
}

function isSettlement(command: Command): command is SetMarketStatus {
  return command.type === 'set_market_status' && command.status === 'settled';
}

function isAboutSettlement(work: Work): boolean {
  return commandsIn(work).some(
    (command) =>
      isSettlement(command) || command.type === 'correct_settlement' || command.type === 'settle_event_group',
  );
}

/** Says whom a settlement pays at once; a correction of too many is refused. */
export function withHolders<C extends Command>(
  command: C,
  { paid, paidInGroups, corrected }: BatchSettlements,
): C | Refusal {
  if (command.type === 'correct_settlement' && corrected.get(command.marketId) === null) {
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
