import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import { OPEN_STATUSES } from './wallet-transfer.entity.js';

/** What waits for an operator or a chain, and what waits for the core, which should be nothing for long. */
@Injectable()
export class TransferMetrics {
  constructor(@InjectDataSource() database: DataSource, metrics: MetricsRegistry) {
    metrics.gauge({
      name: 'wallet_transfers_open',
      help: 'Transfers over chains that have not ended, by status.',
      labels: ['status'],
      async collect(gauge) {
        const rows = await database.query<{ status: string; count: string }[]>(
          `SELECT status, count(*) FROM wallet_transfers
           WHERE status IN ('pending_approval', 'pending', 'broadcasting', 'confirming') AND chain IS NOT NULL
           GROUP BY status`,
        );
        const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]));
        for (const status of OPEN_STATUSES) gauge.set({ status }, counts.get(status) ?? 0);
      },
    });
    metrics.gauge({
      name: 'wallet_transfers_overdue',
      help: 'Transfers of which the core should have been told more than a minute ago.',
      async collect(gauge) {
        const [row] = await database.query<[{ count: string }]>(
          `SELECT count(*) FROM wallet_transfers
           WHERE due_command IS NOT NULL AND updated_at < now() - interval '1 minute'`,
        );
        gauge.set(Number(row.count));
      },
    });
  }
}
