import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { CoreService } from '../../src/core/core.service.js';
import type { Command, PlaceOrder } from '../../src/domain/engine/commands.js';
import { RequireScopes } from '../../src/kit/security/credential-policy.js';
import { inSteps, submitted } from './core-work.js';
import { ACCOUNT_IDS } from '../../src/modules/accounts/ids.js';
import { ADMIN } from '../../src/kit/security/scope.js';

const ACCOUNTS_PER_STEP = 250;
/** The clients of the demo data that own the accounts of the bench. */
export const OWNERS = ['demo', 'maker'] as const;
/** What every account of the bench is called, and no other. */
export const ACCOUNT_NAME = 'Bench';
/** What every account of the bench begins with. */
export const DEPOSITS = [
  { asset: 'USD', amount: '10000000000' },
  { asset: 'BTC', amount: '10000000' },
] as const;

const CROWD = { owner: 'demo', name: 'Crowd' } as const;

export class OpenAccountsDto {
  @IsIn(OWNERS)
  owner: (typeof OWNERS)[number];

  @IsInt()
  @Min(1)
  @Max(100_000)
  accounts: number;
}

export class MakeStopsDto {
  @IsString()
  market_id: string;

  @IsInt()
  @Min(1)
  @Max(10_000)
  accounts: number;

  @IsInt()
  @Min(1)
  @Max(1_000)
  stops_per_account: number;

  /** Buys wait for a rise to prices from here on, one tick further for each stop of an account. */
  @IsInt()
  @Min(1)
  first_stop_ticks: number;
}

export class MakeHoldersDto {
  @IsString()
  market_id: string;

  @IsInt()
  @Min(1)
  @Max(10_000_000)
  holders: number;

  /** What somebody offers for as many lots as there are holders. */
  @IsInt()
  @Min(1)
  price_ticks: number;
}

/** Makes what only many customers together have, as fast as the core takes it. */
@ApiTags('Bench')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('bench')
export class CrowdController {
  constructor(private readonly core: CoreService) {}

  /** Accounts that have money to trade with. */
  @Post('accounts')
  @HttpCode(200)
  async open(@Body() { owner, accounts }: OpenAccountsDto): Promise<{ account_ids: string[] }> {
    const opened: number[] = [];
    await inSteps(accounts, ACCOUNTS_PER_STEP, async (_first, amount) => {
      const accountIds = await this.openAccounts(amount, { owner, name: ACCOUNT_NAME });
      const deposits = accountIds.flatMap((accountId) =>
        DEPOSITS.map((deposit) => depositOf(accountId, deposit)),
      );
      await submitted(this.core, deposits);
      opened.push(...accountIds);
    });
    return { account_ids: opened.map((accountId) => ACCOUNT_IDS.format(accountId)) };
  }

  /** Stops of accounts without money: waiting costs them nothing. */
  @Post('stops')
  @HttpCode(200)
  async makeStops(@Body() body: MakeStopsDto): Promise<{ stops: number }> {
    await inSteps(body.accounts, 1, async (first) => {
      // Nobody may have so many stops alone.
      const [accountId] = await this.openAccounts(1, { owner: `crowd-${first}`, name: CROWD.name });
      const stops = Array.from({ length: body.stops_per_account }, (_, i) =>
        orderOf(accountId!, body.market_id, { orderType: 'stop', stopPriceTicks: body.first_stop_ticks + i }),
      );
      await submitted(this.core, stops);
    });
    return { stops: body.accounts * body.stops_per_account };
  }

  /** Accounts that each hold one lot, bought from any seller. */
  @Post('holders')
  @HttpCode(200)
  async makeHolders(
    @Body() { market_id, holders, price_ticks }: MakeHoldersDto,
  ): Promise<{ holders: number }> {
    await inSteps(holders, ACCOUNTS_PER_STEP, async (_first, amount) => {
      const accountIds = await this.openAccounts(amount);
      const money = accountIds.map((accountId) => depositOf(accountId, { asset: 'USD', amount: '10' }));
      const buys = accountIds.map((accountId) =>
        orderOf(accountId, market_id, { orderType: 'limit', priceTicks: price_ticks }),
      );
      await submitted(this.core, [...money, ...buys]);
    });
    return { holders };
  }

  private async openAccounts(
    amount: number,
    { owner, name }: { owner: string; name: string } = CROWD,
  ): Promise<number[]> {
    const commands = Array.from({ length: amount }, (): Command => ({
      type: 'create_account',
      kind: 'trading',
      name,
      owner: `client:${owner}`,
    }));
    const results = await submitted(this.core, commands);
    return results.flatMap((result) => (result.type === 'account' ? [result.accountId] : []));
  }
}

function depositOf(accountId: number, { asset, amount }: { asset: string; amount: string }): Command {
  return {
    type: 'move_money',
    debit: { rail: 'operator' },
    credit: { accountId },
    asset,
    amount,
    reason: 'deposit',
    reference: 'bench',
  };
}

/** A buy of one lot. */
function orderOf(
  accountId: number,
  marketId: string,
  terms: Pick<PlaceOrder, 'orderType'> & Partial<PlaceOrder>,
): PlaceOrder {
  return {
    type: 'place_order',
    accountId,
    marketId,
    side: 'buy',
    timeInForce: terms.orderType === 'stop' ? 'IOC' : 'GTC',
    priceTicks: null,
    stopPriceTicks: null,
    sizeLots: 1,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
    feeRates: null,
    ...terms,
  };
}
