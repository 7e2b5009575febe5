import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop, type BackgroundLoopOptions, type BackgroundRun } from './background-loop.js';

/**
 * Background work of the process that leads the core, since others may be cut off from it: again and again, from the start of
 * the service to its end. What needs the database alone is a duty of the `JobLeader` instead.
 */
export abstract class LeaderLoop implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: BackgroundLoop;

  protected constructor(core: { readonly leads: boolean }, options: Omit<BackgroundLoopOptions, 'leads'>) {
    this.loop = new BackgroundLoop({ ...options, leads: () => core.leads }, (run) => this.work(run));
  }

  onApplicationBootstrap(): Promise<void> {
    return this.loop.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.end();
  }

  /** Does a bounded piece of work, and answers whether more is left. */
  protected abstract work(run: BackgroundRun): Promise<boolean>;
}
