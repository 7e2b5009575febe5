import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { CoreService } from '../../src/core/core.service.js';
import type { PlaceOrder } from '../../src/domain/engine/commands.js';
import type { Side } from '../../src/domain/engine/types.js';
import { REFUSALS } from '../../src/modules/accounts/commands/refusals.js';
import { ApiError } from '../../src/kit/http/errors.js';
import { RequireScopes } from '../../src/kit/security/credential-policy.js';
import { inSteps, submitted } from './core-work.js';
import { ACCOUNT_NAME, OWNERS } from './crowd.controller.js';
import { ACCOUNT_IDS } from '../../src/modules/accounts/ids.js';
import { ADMIN } from '../../src/kit/security/scope.js';

const COMMANDS_PER_REQUEST = 500;

export class MakeOrdersDto {
  @IsString()
  market_id: string;

  @IsInt()
  @Min(1)
  @Max(1_000_000)
  orders: number;

  /**
   * `traded`: sells and buys in turn that fill each other. `resting`: orders of both sides that stay open,
   * at `levels` prices a side around the middle.
   */
  @IsIn(['traded', 'resting'])
  kind: 'traded' | 'resting';

  @IsInt()
  @Min(1)
  @Max(100_000)
  levels: number;

  @IsInt()
  @Min(1)
  middle_ticks: number;

  @IsInt()
  @Min(1)
  size_lots: number;

  /** Accounts; without them, all that the bench has opened. */
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @IsString({ each: true })
  buyers?: string[];

  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @IsString({ each: true })
  sellers?: string[];

  /** Every so-many-th order carries a `client_order_id`. */
  @IsOptional()
  @IsInt()
  @Min(1)
  key_every?: number;
}

/** Makes orders as fast as the core takes them, for benches that need many before they begin. */
@ApiTags('Bench')
@Controller('bench/orders')
export class HistoryController {
  /** Of this process and this start: a `client_order_id` is taken for good. */
  private readonly keyPrefix = `history-${process.pid}-${Date.now()}`;
  private lastKey = 0;

  constructor(private readonly core: CoreService) {}

  /** Answers when all are durable; `internal_error` where one was refused. */
  @Post()
  @HttpCode(200)
  @RequireScopes({ anyOf: [ADMIN] })
  async make(@Body() body: MakeOrdersDto): Promise<{ orders: number }> {
    const [demo, maker] = OWNERS;
    const accounts = {
      buy: body.buyers?.map(accountOf) ?? (await this.accountsOf(demo)),
      sell: body.sellers?.map(accountOf) ?? (await this.accountsOf(maker)),
    };
    await inSteps(body.orders, COMMANDS_PER_REQUEST, (first, amount) =>
      submitted(
        this.core,
        Array.from({ length: amount }, (_, i) => ({
          ...orderOf(body, first + i, accounts),
          clientOrderId: this.keyOf(body, first + i),
        })),
      ),
    );
    return { orders: body.orders };
  }

  private keyOf({ key_every }: MakeOrdersDto, i: number): string | null {
    if (key_every === undefined || i % key_every !== 0) return null;
    return `${this.keyPrefix}-${++this.lastKey}`;
  }

  private async accountsOf(owner: string): Promise<number[]> {
    const accounts = await this.core.accountsOf(`client:${owner}`);
    return accounts.filter(({ name }) => name === ACCOUNT_NAME).map(({ accountId }) => accountId);
  }
}

function accountOf(text: string): number {
  const accountId = ACCOUNT_IDS.parse(text);
  if (accountId === undefined) throw new ApiError(REFUSALS.account_not_found, `${text} is no account.`);
  return accountId;
}

function orderOf(
  { market_id, kind, levels, middle_ticks, size_lots }: MakeOrdersDto,
  i: number,
  accounts: Readonly<Record<Side, readonly number[]>>,
): Omit<PlaceOrder, 'clientOrderId'> {
  const side = i % 2 === 0 ? 'sell' : 'buy';
  const pair = Math.floor(i / 2);
  const level = pair % levels;
  const awayTicks = kind === 'traded' ? level : side === 'sell' ? level + 1 : -level - 1;
  const own = accounts[side];
  return {
    type: 'place_order',
    accountId: own[pair % own.length]!,
    marketId: market_id,
    side,
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks: middle_ticks + awayTicks,
    stopPriceTicks: null,
    sizeLots: size_lots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    feeRates: null,
  };
}
