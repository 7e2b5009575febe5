import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { ChainConnector } from '../chains/chain-connector.js';
import { ChainConnectors } from '../chains/chain-connectors.js';
import { DatabaseConnection } from '../../../kit/database/database-connection.js';
import { SessionLock } from '../../../kit/database/session-lock.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { ChainPoll } from './chain-poll.service.js';
import { depositRulesOf, problemsOf } from './deposit-rules.js';
import { isChainFailure } from './throttled-log.js';

/** "chai" in ASCII: the space of the chains' locks. */
const LOCK_SPACE = 0x63686169;
/** A poll that waits for a node which does not answer is left to itself when the service stops. */
const STOP_MS_MAX = 12_000;

interface Work {
  readonly polling: BackgroundLoop;
  readonly lock: SessionLock;
}

/**
 * Works on each connected chain, one poll after the other. One process at a time does, which saves work and
 * confusion: that nothing is signed or credited twice is up to the tables.
 */
@Injectable()
export class ChainWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Chain');
  private works: Work[] = [];
  private readonly warned = new Set<string>();

  constructor(
    private readonly connectors: ChainConnectors,
    private readonly connection: DatabaseConnection,
    private readonly core: CoreService,
    private readonly chainPoll: ChainPoll,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.works = this.connectors.all().map((connector) => this.workOn(connector));
    await Promise.all(this.works.map(({ polling }) => polling.begin()));
  }

  async onModuleDestroy(): Promise<void> {
    const ended = this.works.map(async ({ polling, lock }) => {
      await polling.end();
      await lock.release();
    });
    await Promise.race([Promise.all(ended), delay(STOP_MS_MAX, undefined, { ref: false })]);
  }

  private workOn(connector: ChainConnector): Work {
    const { chain, pollMs } = connector;
    const lock = new SessionLock({
      url: this.connection.url,
      applicationName: 'tradepost-chain',
      key: [LOCK_SPACE, chain],
    });
    let failing: string | undefined;
    const polling = new BackgroundLoop({ name: 'Chain', everyMs: pollMs }, async ({ signal }) => {
      try {
        await this.look(connector, lock, signal);
        if (failing !== undefined) this.logger.log({ chain, msg: 'the chain answers again' });
        failing = undefined;
      } catch (error) {
        if (error === signal.reason) return false;
        const { message } = error as Error;
        // A chain that is away for an hour is one line in the log, and not one a second.
        if (message !== failing) this.report(chain, error);
        failing = message;
      }
      return false;
    });
    return { polling, lock };
  }

  private async look(connector: ChainConnector, lock: SessionLock, signal: AbortSignal): Promise<void> {
    // The leader of the core moves the money, so this work belongs to the same process.
    if (!this.core.leads) await lock.release();
    else if (await lock.take()) {
      this.warnOf(connector);
      await this.chainPoll.run(connector, signal);
    }
  }

  /** Of what operators must put right: once, by the process that works on the chain, which knows all assets. */
  private warnOf(connector: ChainConnector): void {
    const { chain } = connector;
    for (const msg of problemsOf(chain, depositRulesOf(connector, this.core))) {
      if (this.warned.has(msg)) continue;
      this.warned.add(msg);
      this.logger.warn({ chain, msg });
    }
  }

  private report(chain: string, error: unknown): void {
    const reason = isChainFailure(error) ? { reason: (error as Error).message } : { err: error };
    this.logger.error({ chain, ...reason, msg: 'the chain cannot be worked on; trying again' });
  }
}
