import { ApiProperty } from '@nestjs/swagger';
import { formatAmount, type Amount } from '../../../domain/money/amount.js';
import type { ChainConnector } from '../chains/chain-connector.js';
import type { ChainCheckResult } from './chain-check.js';
import type { KnownChain } from './hot-wallets.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';

export interface HotBalance {
  readonly asset: string;
  readonly amount: Amount;
}

/** How much is under way on a chain. */
export interface ChainWork {
  readonly depositsArriving: number;
  readonly depositsUnswept: number;
  readonly depositsOrphaned: number;
  readonly sweepsLive: number;
  readonly sendsLive: number;
  readonly transfersWaiting: number;
}

/** What the hot wallet has of one asset. */
export class HotBalanceDto {
  /** @example "ETH" */
  asset: string;
  /** @example "12.5" */
  amount: string;
}

/** What is under way on a chain. */
export class ChainWorkDto {
  /** Deposits that are seen and not credited yet. */
  @ApiProperty({ type: 'integer', example: 0 })
  deposits_arriving: number;
  /** Credited deposits that still lie on addresses of wallets, under way to the hot wallet or not. */
  @ApiProperty({ type: 'integer', example: 0 })
  deposits_unswept: number;
  /** Credited deposits that a reorganisation has taken out of the chain: money that the house has given away. */
  @ApiProperty({ type: 'integer', example: 0 })
  deposits_orphaned: number;
  /** Movements of deposits to the hot wallet that have begun and are not final yet. */
  @ApiProperty({ type: 'integer', example: 0 })
  sweeps: number;
  /** Transactions that are signed and not final yet. */
  @ApiProperty({ type: 'integer', example: 0 })
  sends: number;
  /** Transfers that wait to be signed: for the node, for money in the hot wallet, or for cheaper gas. */
  @ApiProperty({ type: 'integer', example: 0 })
  transfers_waiting: number;
}

/** A chain, and what the service does there. */
export class ChainDto {
  /** @example "ethereum" */
  chain: string;
  /** Whether the service has a connection to it configured; without one its on-chain routes answer `chain_unavailable`. */
  connected: boolean;
  /**
   * What deposits and transfers may be of.
   * @example ["ETH", "USDC"]
   */
  assets: string[];
  /** Blocks after which something counts as final; null without a connection. */
  @ApiProperty({ type: 'integer', nullable: true, example: 12 })
  confirmations: number | null;
  /** The newest block at the last look; null before the first. */
  @ApiProperty({ type: 'integer', nullable: true, example: 21000000 })
  head_block: number | null;
  /** The last block whose deposits are recorded. */
  @ApiProperty({ type: 'integer', nullable: true, example: 21000000 })
  scanned_block: number | null;
  /** When the chain was last looked at. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  looked_at: string | null;
  /**
   * Where transfers leave from and deposits are swept to. What is sent to it is credited to the house, which
   * pays for the gas of sweeps: keep it funded.
   */
  @ApiProperty({ type: String, nullable: true, example: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94' })
  hot_address: string | null;
  /** As the newest block has it; null where the node does not answer. */
  @ApiProperty({ type: [HotBalanceDto], nullable: true })
  hot_balances: HotBalanceDto[] | null;
  work: ChainWorkDto;
  /** What operators must put right, since deposits would wait for good; empty where all is well. */
  @ApiProperty({ type: [String], example: [] })
  problems: string[];
}

/** One asset's money on a chain against the ledger. */
export class ChainAssetCheckDto {
  /** @example "ETH" */
  asset: string;
  /**
   * What the hot wallet has.
   * @example "12.5"
   */
  hot: string;
  /**
   * What lies on addresses of wallets and is not swept yet.
   * @example "0"
   */
  unswept: string;
  /**
   * What the ledger says is on the chain.
   * @example "12.5"
   */
  ledger: string;
  /** What has arrived and is not in the ledger yet. */
  arriving: string;
  /** What has left, gas included, and is still in the ledger. */
  leaving: string;
  /**
   * hot + unswept − (ledger + arriving − leaving): zero in books that balance.
   * @example "0"
   */
  difference: string;
}

/** Whether the money on a chain is what the ledger says. */
export class ChainCheckDto {
  /** @example "ethereum" */
  chain: string;
  /** @example true */
  balanced: boolean;
  /** The block as of which all this was read. */
  @ApiProperty({ type: 'integer', example: 21000000 })
  block: number;
  @ApiProperty({ type: [ChainAssetCheckDto] })
  assets: ChainAssetCheckDto[];
  /** What does not add up, in words; empty in books that balance. */
  @ApiProperty({ type: [String] })
  problems: string[];
}

export function toChainDto(
  chain: string,
  status: {
    readonly connector: ChainConnector | undefined;
    readonly known: KnownChain | undefined;
    readonly balances: readonly HotBalance[] | null;
    readonly work: ChainWork;
    readonly problems: string[];
  },
): ChainDto {
  const { connector, known, balances, work, problems } = status;
  return {
    chain,
    connected: connector !== undefined,
    assets: connector?.assets.map(({ code }) => code) ?? [],
    confirmations: connector?.confirmations ?? null,
    head_block: known?.headBlock ?? null,
    scanned_block: known?.scannedBlock ?? null,
    looked_at: known?.lookedAt.toISOString() ?? null,
    hot_address: known?.hotAddress ?? null,
    hot_balances: balances?.map(({ asset, amount }) => ({ asset, amount: formatAmount(amount) })) ?? null,
    work: {
      ...fieldsOf(work, 'depositsArriving', 'depositsUnswept', 'depositsOrphaned'),
      sweeps: work.sweepsLive,
      sends: work.sendsLive,
      transfers_waiting: work.transfersWaiting,
    },
    problems,
  };
}

export function toChainCheckDto({
  chain,
  balanced,
  block,
  assets,
  problems,
}: ChainCheckResult): ChainCheckDto {
  return {
    chain,
    balanced,
    block,
    assets: assets.map((one) => ({
      asset: one.asset,
      hot: formatAmount(one.hot),
      unswept: formatAmount(one.onAddresses),
      ...fieldsOf(one, 'ledger', 'arriving', 'leaving', 'difference'),
    })),
    problems: [...problems],
  };
}
