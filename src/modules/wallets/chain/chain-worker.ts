import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { ChainConnector } from '../../../platform/chain/chain-connector.js';
import { ChainConnectors } from '../../../platform/chain/chain-connectors.js';
import { DatabaseConnection } from '../../../platform/database/database-connection.js';
import { ChainLock } from './chain-lock.js';
import { ChainRounds } from './chain-rounds.service.js';
import { isChainFailure } from './quiet-log.js';

/** A round that waits for a node which does not answer is left to itself when the service stops. */
const STOP_MS_MAX = 12_000;

/** One loop for each connected chain: looks at it, does what is due, waits. */
@Injectable()
export class ChainWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Chain');
  private readonly stopping = new AbortController();
  private loops: Promise<void>[] = [];

  constructor(
    private readonly connectors: ChainConnectors,
    private readonly connection: DatabaseConnection,
    private readonly core: CoreService,
    private readonly rounds: ChainRounds,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = this.connectors.all().map((connector) => this.run(connector));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.race([Promise.all(this.loops), delay(STOP_MS_MAX, undefined, { ref: false })]);
  }

  private async run(connector: ChainConnector): Promise<void> {
    const { signal } = this.stopping;
    const lock = new ChainLock(this.connection.url, connector.chain);
    let failing: string | undefined;
    while (!signal.aborted) {
      try {
        // Whoever leads the core moves the money, so the work belongs there.
        if (this.core.status().leading && (await lock.take())) await this.rounds.run(connector, signal);
        if (failing !== undefined)
          this.logger.log({ chain: connector.chain, msg: 'the chain answers again' });
        failing = undefined;
      } catch (error) {
        if (error === signal.reason) break;
        const message = (error as Error).message;
        // A chain that is away for an hour is one line in the log, and not one a second.
        if (message !== failing) {
          const details = {
            chain: connector.chain,
            ...(isChainFailure(error) ? { reason: message } : { err: error }),
          };
          this.logger.error({ ...details, msg: 'the chain cannot be worked on; trying again' });
        }
        failing = message;
      }
      await delay(connector.pollMs, undefined, { signal }).catch(() => undefined);
    }
    await lock.release();
  }
}
