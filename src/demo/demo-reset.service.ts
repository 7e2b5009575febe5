import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../core/core.service.js';
import type { Command, MoveMoney } from '../domain/engine/commands.js';
import { AMOUNT_DECIMALS, amountOf, formatAmount } from '../domain/money/amount.js';
import { clientKeyOf } from '../modules/auth/clients/oauth-clients.service.js';
import { principalKeyOf } from '../modules/users/user.entity.js';
import { UsersService } from '../modules/users/users.service.js';
import { AuditLog } from '../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../kit/config/config.js';
import { NOT_FOUND } from '../kit/http/error-codes.js';
import { ApiError } from '../kit/http/errors.js';
import { actorOf, type Principal } from '../kit/security/principal.js';
import {
  DEMO_BALANCES,
  DEMO_CLIENTS,
  DEMO_FUNDED_CLIENTS,
  DEMO_MARKETS,
  DEMO_STAKE,
  DEMO_USERS,
} from './demo-data.js';
import { DEMO_RAIL, DemoLedger } from './demo-ledger.js';
import type { DemoResetDto } from './demo-reset.dto.js';

const REFERENCE = 'demo-reset';

interface BalanceRow {
  readonly account_id: string;
  readonly asset: string;
  readonly available: string;
  readonly held: string;
  /** The number of the account's last change, as text. */
  readonly changed_at: string;
}

/** What each demo account began with, by asset; most with nothing. */
type Stakes = ReadonlyMap<number, ReadonlyMap<string, bigint>>;

/**
 * Brings the demo accounts back to how they began, by commands like any other: nothing of the ledger or the journal is
 * taken away. A reset that was cut short is completed by the next one, since each looks at what there is.
 */
@Injectable()
export class DemoReset {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly database: DataSource,
    private readonly core: CoreService,
    private readonly users: UsersService,
    private readonly ledger: DemoLedger,
    private readonly audit: AuditLog,
  ) {}

  /** Throws `not_found` (404) where there are no demo data, and as `CoreService.submit` does. */
  async reset(principal: Principal): Promise<DemoResetDto> {
    await this.requireDemo();
    const actor = actorOf(principal);
    const stakes = await this.stakes();
    const done = {
      markets_reopened: await this.reopen(actor),
      orders_cancelled: await this.cancelOrders([...stakes.keys()], actor),
      balances_adjusted: await this.adjust(stakes, actor),
    };
    await this.database.transaction((manager) =>
      this.audit.record(manager, { target: { type: 'demo', id: 'data' }, details: done }),
    );
    return done;
  }

  private async requireDemo(): Promise<void> {
    const seeds = await this.database.query<unknown[]>(
      `SELECT FROM seeds WHERE name = 'demo' AND completed_at IS NOT NULL`,
    );
    if (seeds.length === 0 || this.config.nodeEnv === 'production') {
      throw new ApiError(NOT_FOUND, 'This service has no demo data.');
    }
  }

  /**
   * Of all trading accounts of demo users and clients: the first of a funded client has the money, and one that has taken
   * demo money has that again.
   */
  private async stakes(): Promise<Stakes> {
    const stakes = new Map<number, ReadonlyMap<string, bigint>>();
    const [money, taken] = [DEMO_BALANCES, DEMO_STAKE].map(
      (amounts) => new Map(amounts.map(({ asset, amount }) => [asset as string, amountOf(amount)])),
    );
    const clients = DEMO_CLIENTS.map(({ clientId }) => ({
      owner: clientKeyOf(clientId),
      isFunded: DEMO_FUNDED_CLIENTS.includes(clientId),
    }));
    const users = await Promise.all(DEMO_USERS.map(({ username }) => this.users.findByUsername(username)));
    const owners = [
      ...clients,
      ...users.flatMap((user) => (user === null ? [] : [{ owner: principalKeyOf(user), isFunded: false }])),
    ];
    for (const { owner, isFunded } of owners) {
      const accounts = (await this.core.accountsOf(owner)).filter(({ kind }) => kind === 'trading');
      for (const [place, { accountId }] of accounts.entries()) {
        const began = isFunded && place === 0 ? money : undefined;
        const stake = began ?? ((await this.ledger.hasStake(accountId)) ? taken : undefined);
        stakes.set(accountId, stake ?? new Map<string, bigint>());
      }
    }
    return stakes;
  }

  private async reopen(actor: string): Promise<string[]> {
    const halted = DEMO_MARKETS.map(({ marketId }) => marketId).filter(
      (marketId) => this.core.market(marketId)?.status === 'halted',
    );
    if (halted.length === 0) return [];
    const { outcomes } = await this.core.submit({
      commands: halted.map((marketId) => ({
        type: 'set_market_status',
        marketId,
        status: 'open',
        settlementValue: null,
      })),
      actor,
    });
    return halted.filter((_, place) => outcomes[place]!.ok);
  }

  private async cancelOrders(accountIds: readonly number[], actor: string): Promise<number> {
    let cancelled = 0;
    for (const accountId of accountIds) {
      const commands: Command[] = [{ type: 'cancel_all_orders', accountId, marketId: null }];
      const { outcomes } = await this.core.submit({ commands, actor });
      const [outcome] = outcomes;
      if (outcome?.ok === true && outcome.result.type === 'orders_cancelled')
        cancelled += outcome.result.orderIds.length;
    }
    return cancelled;
  }

  /** What is held stays so: no more is taken than is available. A debit that others came before is left out. */
  private async adjust(stakes: Stakes, actor: string): Promise<number> {
    await this.core.projected();
    const balances = await this.database.query<BalanceRow[]>(
      `SELECT account_id, asset, available, held, (
         SELECT sequence FROM account_changes change WHERE change.account_id = balance.account_id
         ORDER BY sequence DESC LIMIT 1
       ) AS changed_at
       FROM balances balance WHERE account_id = ANY($1::bigint[])`,
      [[...stakes.keys()]],
    );
    const present = new Map(balances.map((row) => [`${row.account_id} ${row.asset}`, row]));
    let adjusted = 0;
    for (const [accountId, money] of stakes) {
      const assets = new Set(money.keys());
      for (const row of balances) if (Number(row.account_id) === accountId) assets.add(row.asset);
      const commands = [...assets].flatMap(
        (asset) =>
          this.movement(accountId, asset, money.get(asset) ?? 0n, present.get(`${accountId} ${asset}`)) ?? [],
      );
      if (commands.length === 0) continue;
      // Two resets that have seen the same make up for the difference once.
      const key = `${accountId}@${balances.find((row) => Number(row.account_id) === accountId)?.changed_at ?? 0}`;
      const idempotency = { owner: 'system:demo-reset', key, fingerprint: key };
      const { outcomes, replayed } = await this.core.submit({ commands, actor, idempotency });
      adjusted += outcomes.filter(({ ok }, place) => ok && !replayed[place]!).length;
    }
    return adjusted;
  }

  private movement(
    accountId: number,
    asset: string,
    stake: bigint,
    row: BalanceRow | undefined,
  ): MoveMoney | undefined {
    const available = BigInt(row?.available ?? 0);
    const difference = stake - available - BigInt(row?.held ?? 0);
    const units = difference >= 0n ? difference : -difference < available ? -difference : available;
    // Trading is finer than what can be moved: what is left is less than the smallest amount.
    const moved = wholeUnits(units, this.core.asset(asset)?.scale ?? 0);
    if (moved === 0n) return undefined;
    const [customer, outside] = [{ accountId }, { rail: DEMO_RAIL }];
    const [debit, credit] = difference > 0n ? [outside, customer] : [customer, outside];
    return {
      type: 'move_money',
      debit,
      credit,
      asset,
      amount: formatAmount(moved),
      reason: 'adjustment',
      reference: REFERENCE,
    };
  }
}

function wholeUnits(units: bigint, scale: number): bigint {
  const step = 10n ** BigInt(AMOUNT_DECIMALS - scale);
  return (units / step) * step;
}
