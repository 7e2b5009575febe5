import { Injectable } from '@nestjs/common';
import { everyItemOf } from '../../kit/personal-data/pages.js';
import type { PersonalSection } from '../../kit/personal-data/personal-data.js';
import type { Principal } from '../../kit/security/principal.js';
import { SelfExclusions } from './self-exclusions.service.js';
import { SelfLimitsService } from './self-limits.service.js';

/** Exports limits and exclusions. They stay when a user is closed: they are figures by account, and an exclusion goes on. */
@Injectable()
export class LimitsPersonalData {
  readonly sections: readonly PersonalSection[];

  constructor(
    limits: SelfLimitsService,
    private readonly exclusions: SelfExclusions,
  ) {
    this.sections = [
      {
        name: 'self_limits',
        holds: 'the limits that you have set yourself',
        rows: ({ principal, tradingAccountIds }) =>
          everyItemOf('account_id', tradingAccountIds, async (id) => {
            const { limits: rows } = await limits.list(principal, id);
            // Each list has those of the owner's other accounts, too.
            return { data: rows.filter((row) => row.account_id === id), next_cursor: null };
          }),
      },
      {
        name: 'self_exclusions',
        holds: 'until when you are excluded by your own wish',
        rows: ({ principal }) => this.exclusionOf(principal),
      },
    ];
  }

  /** One, or none. */
  private async *exclusionOf(principal: Principal): AsyncGenerator<object> {
    const exclusion = await this.exclusions.get(principal);
    if (exclusion.until !== null) yield exclusion;
  }
}
