import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { FieldChanges, FieldValues } from '../../../domain/fields.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { storedTable, StoredFields } from '../../../kit/fields/stored-fields.js';

/** Where plugins keep what they add to markets. */
export const FIELDS_OF_MARKETS = storedTable('markets');

/** How old what is shown of them may be, in processes that have not changed them themselves. */
const KEPT_MS = 1_000;

type ByMarket = ReadonlyMap<string, FieldValues>;

/** The fields of markets, which are few and read often: so they are read once a second, and only where there are any. */
@Injectable()
export class MarketFields {
  private kept: { readonly untilMs: number; readonly fields: Promise<ByMarket> } | null = null;

  constructor(
    private readonly catalogue: FieldCatalogue,
    private readonly stored: StoredFields,
    private readonly audit: AuditLog,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Of all markets; `undefined` where no plugin declares any. */
  all(): Promise<ByMarket> | undefined {
    if (!this.catalogue.has('markets')) return undefined;
    const now = performance.now();
    if (this.kept === null || this.kept.untilMs < now) {
      const fields = this.stored.all('markets');
      this.kept = { untilMs: now + KEPT_MS, fields };
      fields.catch(() => (this.kept = null));
    }
    return this.kept.fields;
  }

  /** What an operator changes of them; `isAct` where nothing else of the request is audited. */
  async change(
    marketId: string,
    changes: FieldChanges | undefined,
    { isAct }: { readonly isAct: boolean },
  ): Promise<void> {
    if (changes === undefined) return;
    await this.dataSource.transaction(async (manager) => {
      await this.stored.change(manager, 'markets', marketId, changes, 'operators');
      if (isAct)
        await this.audit.record(manager, {
          target: { type: 'market', id: marketId },
          details: { ...changes },
        });
    });
    this.kept = null;
  }
}
