import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { type ChangeFollower, Changes } from '../../../kit/changes/changes.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { growingCache } from '../../../kit/growing-cache.js';
import { OwnerCountries } from '../../markets/policies/owner-countries.js';
import { KYC_CHANGES } from './kyc-changes.js';
import { KycData } from './kyc-data.js';

const REMEMBERED_MAX = 100_000;

interface ApprovedRow {
  readonly kyc_id: string;
  readonly sealed_data: Buffer | null;
}

/** The countries of approved cases, opened once for each owner and process, and again once another case is approved. */
@Injectable()
export class KycCountries extends OwnerCountries implements ChangeFollower {
  /** What is still being read, too: a change meanwhile makes the next question read again. */
  private readonly known = growingCache<string, Promise<string | null>>(REMEMBERED_MAX);
  private following: Promise<void> | undefined;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly changes: Changes,
    private readonly data: KycData,
  ) {
    super();
  }

  override of(owner: string): Promise<string | null> {
    const known = this.known.get(owner);
    if (known !== undefined) return known;
    const reading = this.read(owner);
    this.known.set(owner, reading);
    reading.catch(() => {
      if (this.known.peek(owner) === reading) this.known.delete(owner);
    });
    return reading;
  }

  reload(): void {
    this.known.clear();
  }

  changed(owners: readonly string[]): void {
    for (const owner of owners) this.known.delete(owner);
  }

  private async read(owner: string): Promise<string | null> {
    await this.follow();
    const { rows } = await this.pool.query<ApprovedRow>(
      `SELECT kyc_id, sealed_data FROM kyc_cases WHERE owner = $1 AND status = 'approved'`,
      [owner],
    );
    const sealed = rows[0]?.sealed_data ?? null;
    return sealed === null ? null : (await this.data.open(rows[0]!.kyc_id, sealed)).address.country;
  }

  /** From the first question on; where it fails, the next one tries again. */
  private async follow(): Promise<void> {
    this.following ??= this.changes.follow(KYC_CHANGES, this);
    await this.following.catch((error: unknown) => {
      this.following = undefined;
      throw error;
    });
  }
}
