import type { Clock } from '../../kit/clock.js';
import type { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import type { CoreStatus } from './core-status.js';
import type { Sequencer } from './sequencer.js';

/** The figures of the inside of the core. */
export function measureCore(
  metrics: MetricsRegistry,
  sequencer: Sequencer,
  clock: Clock,
  status: () => CoreStatus,
): void {
  metrics.gauge({
    name: 'core_queue_depth',
    help: 'Commands waiting for their commit.',
    collect: (gauge) => gauge.set(sequencer.depth),
  });
  metrics.gauge({
    name: 'core_clock_drift_seconds',
    help: 'By how much the wall clock is ahead of the monotonic one; beyond 5 either way it is not followed.',
    collect: (gauge) => gauge.set(clock.driftMs / 1000),
  });
  metrics.gauge({
    name: 'core_leading',
    help: '1 while this process leads the core.',
    collect: (gauge) => gauge.set(status().leading ? 1 : 0),
  });
  metrics.gauge({
    name: 'core_sequence',
    help: 'The global ledger sequence.',
    collect: (gauge) => gauge.set(status().sequence),
  });
  metrics.gauge({
    name: 'core_projection_sequence',
    help: 'The ledger sequence up to which the tables are written; core_sequence is what is durable.',
    collect: (gauge) => gauge.set(sequencer.currentTerm?.projector.sequence ?? 0),
  });
  metrics.gauge({
    name: 'core_projection_waiting_rows',
    help: 'Rows that are durable in the journal and not yet in the tables; beyond 100,000 new orders wait.',
    collect: (gauge) => gauge.set(sequencer.currentTerm?.projector.waitingRows ?? 0),
  });
  metrics.gauge({
    name: 'core_projection_lag_seconds',
    help: 'How long the oldest commit that is not yet in the tables has waited.',
    collect: (gauge) => gauge.set((sequencer.currentTerm?.projector.lagMs ?? 0) / 1000),
  });
  metrics.gauge({
    name: 'core_accounts_in_memory',
    help: 'Accounts in the working state; idle ones leave it and come back when they are asked for.',
    collect: (gauge) => gauge.set(sequencer.currentTerm?.accountsInMemory ?? 0),
  });
  metrics.gauge({
    name: 'market_book_levels',
    help: 'Price levels of a book, by market and side.',
    labels: ['market_id', 'side'],
    collect: (gauge) => {
      gauge.reset();
      for (const { marketId, bids, asks } of sequencer.currentTerm?.view.depths() ?? []) {
        gauge.set({ market_id: marketId, side: 'buy' }, bids);
        gauge.set({ market_id: marketId, side: 'sell' }, asks);
      }
    },
  });
  metrics.gauge({
    name: 'core_other_installation',
    help: '1 while another installation, such as a restored copy, uses the same Redis.',
    collect: (gauge) => gauge.set(status().otherInstallation === null ? 0 : 1),
  });
}
