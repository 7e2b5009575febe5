import { Injectable } from '@nestjs/common';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { AuditEntryEntity } from '../../../kit/audit/audit-entry.entity.js';
import { AuditSealEntity } from '../../../kit/audit/audit-seal.entity.js';
import { AuditActions } from '../../../kit/audit/audit-actions.js';
import { AuditSealer } from '../../../kit/audit/audit-sealer.js';
import { ApiError } from '../../../kit/http/errors.js';
import { pageOf, type Page, decodeTimedCursor, selectTimed } from '../../../kit/http/pagination.js';
import { periodOf } from '../../../kit/http/period.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { toAuditEntryDto, type AuditEntryDto, type ListAuditQueryDto } from './audit.dto.js';

/** Reads the audit log for operators. */
@Injectable()
export class AuditListService {
  constructor(
    private readonly reads: ReadPool,
    private readonly sealer: AuditSealer,
    private readonly users: UsersService,
    private readonly actions: AuditActions,
  ) {}

  /**
   * Newest first. Throws `invalid_cursor`, and `validation_failed` (400) for a target without a type or a period that ends
   * before it begins.
   */
  async list(query: ListAuditQueryDto): Promise<Page<AuditEntryDto>> {
    const { actor, action, target, limit } = query;
    const before = decodeTimedCursor(query.cursor);
    const period = periodOf(query);
    const person = actor === undefined ? undefined : await this.personOf(actor);
    const named = target === undefined ? undefined : targetOf(target);
    // Seals first, so that the reader's latest acts have their seals.
    await this.sealer.seal();
    const { entities, raw } = await this.reads.read((manager) => {
      const rows = manager
        .createQueryBuilder(AuditEntryEntity, 'entry')
        .leftJoin(AuditSealEntity, 'seal', 'seal.audit_id = entry.audit_id')
        .addSelect('seal.hash', 'hash')
        .limit(limit + 1);
      selectTimed(rows, { time: 'entry.at', id: 'entry.audit_id' }, period, before);
      if (person !== undefined) rows.andWhere('entry.actor_person = :person', { person });
      if (action !== undefined)
        rows.andWhere('entry.action IN (:...actions)', { actions: this.actions.namesOf(action) });
      if (named !== undefined) rows.andWhere('entry.target_type = :type AND entry.target_id = :id', named);
      return rows.getRawAndEntities<{ readonly hash: string | null }>();
    });
    return pageOf(
      entities.map((entry, index) => ({ entry, hash: raw[index]!.hash })),
      limit,
      ({ entry }) => [entry.at.getTime(), Number(entry.auditId)],
      ({ entry, hash }) => toAuditEntryDto(entry, hash),
    );
  }

  /** Keys of persons have a colon, user names never. */
  private async personOf(actor: string): Promise<string> {
    if (actor.includes(':')) return actor;
    const user = await this.users.findByUsername(actor);
    return user === null ? actor : principalKeyOf(user);
  }
}

function targetOf(text: string): { type: string; id: string } {
  const colon = text.indexOf(':');
  if (colon > 0) return { type: text.slice(0, colon), id: text.slice(colon + 1) };
  throw ApiError.validation([{ field: 'target', message: 'target must be of the form type:id' }]);
}
