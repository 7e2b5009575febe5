import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { ChainUnavailable, type ChainConnector } from '../chains/chain-connector.js';
import { ChainConnectors } from '../chains/chain-connectors.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { CHAIN_UNAVAILABLE } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Page } from '../../../kit/http/pagination.js';
import { CHAINS } from '../keys/chain.js';
import { ChainCheck } from './chain-check.js';
import { depositRulesOf, problemsOf } from './deposit-rules.js';
import { chainUnavailable } from './chain-fee-estimates.js';
import {
  toChainCheckDto,
  toChainDto,
  type ChainCheckDto,
  type ChainDto,
  type ChainWork,
  type HotBalance,
} from './chain.dto.js';
import { HotWallets, type KnownChain } from './hot-wallets.js';

interface WorkRow {
  readonly deposits_arriving: string;
  readonly deposits_unswept: string;
  readonly deposits_orphaned: string;
  readonly sweeps_live: string;
  readonly sends_live: string;
  readonly transfers_waiting: string;
}

/** The chains as operators see them. */
@Injectable()
export class ChainsService {
  private readonly logger = new Logger('Chain');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly connectors: ChainConnectors,
    private readonly hotWallets: HotWallets,
    private readonly books: ChainCheck,
    private readonly core: CoreService,
  ) {}

  /** Every chain that wallets have addresses on or that is connected, in order of their names. */
  async list(): Promise<Page<ChainDto>> {
    const names = new Set<string>([...CHAINS, ...this.connectors.all().map(({ chain }) => chain)]);
    const data = await Promise.all([...names].sort().map((chain) => this.describe(chain)));
    return { data, next_cursor: null };
  }

  /** Throws `not_found` for an unknown chain, `chain_unavailable` if its node does not answer or is not configured. */
  async check(chain: string): Promise<ChainCheckDto> {
    const connector = this.connectors.connectorOf(chain);
    if (connector === undefined) {
      if (CHAINS.some((known) => known === chain)) throw chainUnavailable(chain);
      throw new ApiError(NOT_FOUND, 'There is no such chain. See GET /admin/chains.');
    }
    try {
      const result = await this.books.check(connector);
      if (result === null) throw chainUnavailable(chain);
      return toChainCheckDto(result);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      throw new ApiError(CHAIN_UNAVAILABLE, `The node of ${chain} does not answer; try again later.`, {
        cause: error,
      });
    }
  }

  private async describe(chain: string): Promise<ChainDto> {
    const connector = this.connectors.connectorOf(chain);
    const known = await this.hotWallets.find(chain);
    const isKnown = connector !== undefined && known !== undefined;
    return toChainDto(chain, {
      connector,
      known,
      balances: isKnown ? await this.hotBalances(connector, known) : null,
      work: await this.work(chain),
      problems: connector === undefined ? [] : problemsOf(chain, depositRulesOf(connector, this.core)),
    });
  }

  /** Null where the node does not answer. */
  private async hotBalances(connector: ChainConnector, known: KnownChain): Promise<HotBalance[] | null> {
    try {
      return await Promise.all(
        connector.assets.map(async ({ code }) => ({
          asset: code,
          amount: await connector.balance(known.hotAddress, code),
        })),
      );
    } catch (error) {
      this.logger.warn({ chain: known.chain, reason: (error as Error).message, msg: 'no balances' });
      return null;
    }
  }

  private async work(chain: string): Promise<ChainWork> {
    const [row] = await this.database.query<WorkRow[]>(
      `SELECT
         (SELECT count(*) FROM chain_deposits WHERE chain = $1 AND status <> 'credited' AND NOT orphaned)
           AS deposits_arriving,
         (SELECT count(*) FROM chain_deposits WHERE chain = $1 AND status = 'credited' AND NOT swept)
           AS deposits_unswept,
         (SELECT count(*) FROM chain_deposits WHERE chain = $1 AND status = 'credited' AND orphaned)
           AS deposits_orphaned,
         (SELECT count(*) FROM chain_sweeps WHERE chain = $1 AND status NOT IN ('done', 'failed')) AS sweeps_live,
         (SELECT count(*) FROM chain_sends WHERE chain = $1 AND status <> 'settled') AS sends_live,
         (SELECT count(*) FROM wallet_transfers WHERE status = 'pending' AND chain = $1
           AND destination_type = 'address') AS transfers_waiting`,
      [chain],
    );
    return {
      depositsArriving: Number(row!.deposits_arriving),
      depositsUnswept: Number(row!.deposits_unswept),
      depositsOrphaned: Number(row!.deposits_orphaned),
      sweepsLive: Number(row!.sweeps_live),
      sendsLive: Number(row!.sends_live),
      transfersWaiting: Number(row!.transfers_waiting),
    };
  }
}
