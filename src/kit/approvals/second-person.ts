import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { SAME_PERSON, RELATED_PERSON, APPROVAL_REQUIRED } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { Persons, type Relation } from './persons.js';

const WHY: Readonly<Record<Relation, string>> = {
  created: 'One of you has created the other',
  reset: 'One of you has set the password of the other in the last 30 days',
  common: 'Somebody behind one of you has set the password of the other in the last 30 days',
};

/** Who may decide about an act. With `FOUR_EYES` off, only one's own acts are excluded. */
@Injectable()
export class SecondPerson {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly persons: Persons,
  ) {}

  /**
   * Throws `same_person` (403) for the proposer, and `related_person` (403) for the owner of the subject and, with
   * `FOUR_EYES`, for everybody related to one of them.
   */
  async require(
    manager: EntityManager,
    person: string,
    { proposedBy, owner }: { readonly proposedBy: string | null; readonly owner: string | null },
  ): Promise<void> {
    if (person === proposedBy) {
      throw new ApiError(SAME_PERSON, 'Who proposes or asks does not decide. Ask another operator.');
    }
    if (person === owner) throw ownMatter();
    if (!this.config.fourEyes) return;
    for (const other of new Set([proposedBy, owner])) {
      if (other === null) continue;
      const relation = await this.persons.relationOf(manager, person, other);
      if (relation !== undefined) {
        throw new ApiError(RELATED_PERSON, `${WHY[relation]}, so you do not decide. Ask another operator.`);
      }
    }
  }

  /**
   * Until when every transfer out of the owner's account needs a second person, whatever the amount: whoever reads the
   * mailbox from which the password was reset, or with `FOUR_EYES` somebody else who set it, could log in as the owner.
   * `undefined` if nobody could.
   */
  async neededUntil(owner: string, manager = this.dataSource.manager): Promise<Date | undefined> {
    return this.persons.passwordKnownUntil(manager, owner, this.config.fourEyes ? 'anybody' : 'mailbox');
  }

  /** Throws `approval_required` (403) for acts without an approval process while a second person is needed. */
  async requireNotNeeded(owner: string, what: string, instead: string): Promise<void> {
    const until = await this.neededUntil(owner);
    if (until === undefined) return;
    throw new ApiError(
      APPROVAL_REQUIRED,
      `The password of the owner was reset lately, so until ${until.toISOString()} ${what}. ${instead}`,
    );
  }
}

/** 403: nobody proposes or decides about their own matters. */
export function ownMatter(): ApiError {
  return new ApiError(RELATED_PERSON, 'Nobody decides about themselves. Ask another operator.');
}
