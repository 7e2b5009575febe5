import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { ChainConnectors } from '../chains/chain-connectors.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import { ChainCheck, type ChainCheckResult } from './chain-check.js';
import { isChainFailure } from './throttled-log.js';

const CHECKED_EVERY_MS = 5 * 60_000;

interface ChainFigures {
  readonly chain: string;
  readonly head_block: string;
  readonly scanned_block: string;
  readonly looked_seconds_ago: string;
  readonly sends_live: string;
  readonly deposits_orphaned: string;
  readonly gas_unbooked: string;
}

/** What a pager should ring for: a chain that is not looked at, money that vanished, books that do not balance. */
@Injectable()
export class ChainMetrics implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Chain');
  private readonly lastChecks = new Map<string, ChainCheckResult>();
  /** Each process checks for its own metrics. */
  private readonly checking = new BackgroundLoop(
    { name: 'Chain', everyMs: CHECKED_EVERY_MS, isFirstLater: true },
    () => this.checkAll(),
  );

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly connectors: ChainConnectors,
    private readonly books: ChainCheck,
    metrics: MetricsRegistry,
  ) {
    metrics.gauge({
      name: 'chain_balanced',
      help: '1 if the money on a chain was what the ledger says when it was last checked, 0 if not; absent before the first check.',
      labels: ['chain'],
      collect: (gauge) => {
        gauge.reset();
        for (const { chain, balanced } of this.lastChecks.values()) gauge.set({ chain }, balanced ? 1 : 0);
      },
    });
    this.measure(metrics, 'chain_head_block', 'The newest block at the last look.', 'head_block');
    this.measure(
      metrics,
      'chain_scanned_block',
      'The last block whose deposits are recorded.',
      'scanned_block',
    );
    this.measure(
      metrics,
      'chain_looked_seconds',
      'How long ago the chain was last looked at.',
      'looked_seconds_ago',
    );
    this.measure(
      metrics,
      'chain_sends_live',
      'Transactions that are signed and not final yet.',
      'sends_live',
    );
    this.measure(
      metrics,
      'chain_deposits_orphaned',
      'Credited deposits that a reorganisation has taken out of the chain.',
      'deposits_orphaned',
    );
    this.measure(
      metrics,
      'chain_gas_unbooked',
      'Transactions whose gas the house could not pay for yet.',
      'gas_unbooked',
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.connectors.all().length > 0) await this.checking.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.checking.end();
  }

  private async checkAll(): Promise<boolean> {
    try {
      for (const connector of this.connectors.all()) {
        const result = await this.books.check(connector);
        if (result === null) continue;
        this.lastChecks.set(result.chain, result);
        const { chain, balanced, problems, block } = result;
        if (!balanced) this.logger.error({ chain, problems, block, msg: 'the chain and the ledger differ' });
      }
    } catch (error) {
      const reason = isChainFailure(error) ? { reason: (error as Error).message } : { err: error };
      this.logger.warn({ ...reason, msg: 'the chain could not be checked; trying again later' });
    }
    return false;
  }

  private measure(
    metrics: MetricsRegistry,
    name: string,
    help: string,
    figure: Exclude<keyof ChainFigures, 'chain'>,
  ): void {
    metrics.gauge({
      name,
      help,
      labels: ['chain'],
      collect: async (gauge: Gauge<'chain'>) => {
        gauge.reset();
        for (const figures of await this.figures())
          gauge.set({ chain: figures.chain }, Number(figures[figure]));
      },
    });
  }

  private figures(): Promise<ChainFigures[]> {
    return this.database.query<ChainFigures[]>(
      `SELECT c.chain, c.head_block, c.scanned_block,
         extract(epoch FROM now() - c.looked_at) AS looked_seconds_ago,
         (SELECT count(*) FROM chain_sends s WHERE s.chain = c.chain AND s.status <> 'settled') AS sends_live,
         (SELECT count(*) FROM chain_deposits d
           WHERE d.chain = c.chain AND d.orphaned AND d.status IN ('crediting', 'credited')) AS deposits_orphaned,
         (SELECT count(*) FROM chain_sends s
           WHERE s.chain = c.chain AND s.status = 'settled' AND s.house_fee > 0 AND NOT s.house_fee_booked)
           AS gas_unbooked
       FROM chains c`,
    );
  }
}
