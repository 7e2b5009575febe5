import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { Repository } from 'typeorm';
import { CoreService } from '../../core/core.service.js';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { CONFLICT } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';
import { parseUtcTime } from '../../kit/http/validation/is-utc-time.js';
import { BackgroundLoop } from '../../kit/jobs/background-loop.js';
import { isInPerson, personOf, type Principal } from '../../kit/security/principal.js';
import { RegistrationRoots } from '../users/registration-roots.js';
import { loginRequired } from '../users/user-access.js';
import { type ExcludeOneselfDto, type SelfExclusionDto, toSelfExclusionDto } from './self-exclusion.dto.js';
import { SelfExclusionEntity } from './self-exclusion.entity.js';

/** A minute less than a day: the clock of who asks for a day may be behind. */
const SHORTEST = '1 day - 1 minute';
const LONGEST = '10 years';

const RESUMED_EVERY_MS = 5_000;
const RESUMED_AT_ONCE_MAX = 100;

/** No row where the end is out of range, or before the end of an exclusion that is in force. */
const EXCLUDE = `
  INSERT INTO self_exclusions AS old (person, since, until, orders_due)
  SELECT $1, clock_timestamp(), $2::timestamptz, true
  WHERE $2::timestamptz BETWEEN clock_timestamp() + interval '${SHORTEST}' AND clock_timestamp() + interval '${LONGEST}'
  ON CONFLICT (person) DO UPDATE SET
    since = CASE WHEN old.until > clock_timestamp() THEN old.since ELSE excluded.since END,
    until = excluded.until,
    orders_due = true
  WHERE excluded.until >= old.until OR old.until <= clock_timestamp()
  RETURNING since, until`;

/**
 * Exclusions that people ask for themselves. They can be extended and never shortened, by nobody: there is no route for it.
 * When the time is over they end by themselves.
 */
@Injectable()
export class SelfExclusions {
  readonly duty = new BackgroundLoop({ name: 'SelfExclusions', everyMs: RESUMED_EVERY_MS }, () =>
    this.resume(),
  );

  constructor(
    private readonly core: CoreService,
    private readonly audit: AuditLog,
    @Inject(PG_POOL) private readonly pool: Pool,
    @InjectRepository(SelfExclusionEntity) private readonly exclusions: Repository<SelfExclusionEntity>,
    private readonly roots: RegistrationRoots,
  ) {}

  /** Throws `forbidden` unless the user asks in person. */
  async get(principal: Principal): Promise<SelfExclusionDto> {
    if (!isInPerson(principal)) throw loginRequired();
    const person = personOf(principal);
    return toSelfExclusionDto(await this.inForce([person, await this.roots.of(person)]));
  }

  /**
   * Resolves once all orders are cancelled and no new one gets through. Throws `forbidden` unless the user asks in person,
   * `validation_failed`, and `conflict` where a longer one is in force.
   */
  async exclude(principal: Principal, { until }: ExcludeOneselfDto): Promise<SelfExclusionDto> {
    if (!isInPerson(principal)) throw loginRequired();
    const root = await this.roots.of(personOf(principal));
    const end = new Date(parseUtcTime(until)!);
    const exclusion = await this.exclusions.manager.transaction(async (manager) => {
      const [row] = await manager.query<{ since: Date; until: Date }[]>(EXCLUDE, [root, end]);
      if (row !== undefined) {
        const details = { since: row.since.toISOString(), until: row.until.toISOString() };
        await this.audit.record(manager, { target: { type: 'user', id: principal.id }, details });
      }
      return row;
    });
    if (exclusion === undefined) throw await this.refusalOf(root, end);
    await this.carryOut(root);
    return toSelfExclusionDto(exclusion);
  }

  /** The one that lasts longest, of any of these. */
  private async inForce(persons: readonly string[]): Promise<{ since: Date; until: Date } | undefined> {
    const { rows } = await this.pool.query<{ since: Date; until: Date }>(
      `SELECT since, until FROM self_exclusions WHERE person = ANY ($1) AND until > clock_timestamp()
       ORDER BY until DESC LIMIT 1`,
      [persons],
    );
    return rows[0];
  }

  private async refusalOf(root: string, end: Date): Promise<ApiError> {
    const longer = await this.inForce([root]);
    if (longer !== undefined && longer.until > end) {
      const until = longer.until.toISOString();
      return new ApiError(
        CONFLICT,
        `You are excluded until ${until}. That can be extended, and not shortened.`,
      );
    }
    return ApiError.validation([
      { field: 'until', message: 'until must be from one day to ten years ahead' },
    ]);
  }

  /**
   * Ends what was prepared before, and cancels all orders, of every user from the root: whoever makes users may be all of
   * them. Those who come later are told by the root's first account. It can be repeated.
   */
  private async carryOut(root: string): Promise<void> {
    for (const person of await this.roots.usersFrom(root)) {
      for (const { accountId, kind } of await this.core.accountsOf(person)) {
        if (kind !== 'trading') continue;
        await this.core.submit({
          commands: [
            { type: 'renew_self_limits', accountId },
            { type: 'cancel_all_orders', accountId, marketId: null },
          ],
        });
      }
    }
    await this.pool.query('UPDATE self_exclusions SET orders_due = false WHERE person = $1', [root]);
  }

  /** Goes on where a process died. */
  private async resume(): Promise<boolean> {
    const due = await this.exclusions.find({
      where: { ordersDue: true },
      order: { person: 'ASC' },
      take: RESUMED_AT_ONCE_MAX,
    });
    for (const { person } of due) await this.carryOut(person);
    return due.length === RESUMED_AT_ONCE_MAX;
  }
}
