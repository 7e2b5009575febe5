import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { Settings } from '../../../kit/config/settings.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { type ErasureTime, PersonalDataRegistry } from '../../../kit/personal-data/personal-data.js';
import { principalKeyOf, UserEntity } from '../user.entity.js';
import { KYC_RETENTION_DAYS } from './kyc-retention.js';

const LOOK_EVERY_MS = 10_000;
const USERS_AT_ONCE_MAX = 50;

interface DueUser {
  readonly userId: string;
  readonly username: string;
}

interface Step {
  readonly due: ErasureTime;
  /** The condition of a partial index, and who of those that it holds are due; `$1` is `KYC_RETENTION_DAYS`. */
  readonly condition: string;
  readonly column: 'erased_at' | 'kept_data_erased_at';
}

const STEPS: readonly Step[] = [
  {
    due: 'closing',
    condition: 'user_status = 2 AND erased_at IS NULL AND $1::integer IS NOT NULL',
    column: 'erased_at',
  },
  {
    due: 'retention',
    condition: `user_status = 2 AND erased_at IS NOT NULL AND kept_data_erased_at IS NULL
      AND closed_at <= now() - make_interval(days => $1::integer)`,
    column: 'kept_data_erased_at',
  },
];

/**
 * Erases the personal data of closed users, whichever version closed them: soon, and the rest when nothing demands it any
 * longer. A user counts as erased once all parts are done, so a run that was cut short is made up for by the next.
 */
@Injectable()
export class UserErasure {
  readonly duty = new BackgroundLoop({ name: 'Erasure', everyMs: LOOK_EVERY_MS }, () => this.eraseNext());
  private readonly logger = new Logger('Erasure');

  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly data: PersonalDataRegistry,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
    private readonly time: AgreedTime,
  ) {}

  /** Somebody was just closed. Another process may be the one to erase: then it looks by itself. */
  request(): void {
    this.duty.request();
  }

  /** Does what is due for some users, and returns whether more may be left. */
  async eraseNext(): Promise<boolean> {
    let isMoreLeft = false;
    for (const step of STEPS) {
      if (step.due === 'retention' && !(await this.time.isAgreed())) continue;
      const due = await this.findDue(step);
      let erased = 0;
      for (const user of due) if (await this.tryErase(user, step)) erased++;
      isMoreLeft ||= due.length === USERS_AT_ONCE_MAX && erased > 0;
    }
    return isMoreLeft;
  }

  /** At random, so that users who cannot be erased just now are not in the way of others. */
  private findDue({ condition }: Step): Promise<DueUser[]> {
    return this.users.query<DueUser[]>(
      `SELECT user_id AS "userId", username FROM users WHERE ${condition}
       ORDER BY random() LIMIT ${USERS_AT_ONCE_MAX}`,
      [this.settings.get(KYC_RETENTION_DAYS)],
    );
  }

  private async tryErase(user: DueUser, step: Step): Promise<boolean> {
    try {
      await this.erase(user, step);
      return true;
    } catch (error) {
      const { userId: user_id } = user;
      this.logger.warn({
        err: error,
        user_id,
        step: step.due,
        msg: 'a user is not erased yet; trying again',
      });
      return false;
    }
  }

  private async erase({ userId, username }: DueUser, { due, column }: Step): Promise<void> {
    const owner = { userId, username, key: principalKeyOf({ userId }) };
    const parts = this.data.erasuresDue(due);
    for (const part of parts) await part.erase(owner);
    await this.users.manager.transaction(async (manager) => {
      const [, count] = await manager.query<[unknown, number]>(
        `UPDATE users SET ${column} = now(), closed_at = coalesce(closed_at, now())
         WHERE user_id = $1 AND ${column} IS NULL`,
        [userId],
      );
      if (count === 0) return;
      await this.audit.recordOfSystem(manager, 'erasure', {
        target: { type: 'user', id: username },
        details: { due, parts: parts.map(({ name }) => name) },
      });
    });
  }
}
