import { Injectable } from '@nestjs/common';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { AuditEntryEntity } from '../../../platform/audit/audit-entry.entity.js';
import { AuditSealEntity } from '../../../platform/audit/audit-seal.entity.js';
import { AuditSealer } from '../../../platform/audit/audit-sealer.js';
import { ApiError } from '../../../platform/http/errors.js';
import { decodeCursor, pageOf, type Page } from '../../../platform/http/pagination.js';
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
  ) {}

  /** Newest first. Throws `invalid_cursor` and, for a target without a type, `validation_failed` (400). */
  async list({
    actor,
    action,
    target,
    from,
    to,
    limit,
    cursor,
  }: ListAuditQueryDto): Promise<Page<AuditEntryDto>> {
    const before = decodeCursor(cursor, ['integer', 'integer']);
    const person = actor === undefined ? undefined : await this.personOf(actor);
    const named = target === undefined ? undefined : targetOf(target);
    const cursorTime = before && timeOf(before[0]);
    // Seals first, so that the reader's latest acts have their seals.
    await this.sealer.seal();
    const { entities, raw } = await this.reads.read((manager) => {
      const rows = manager
        .createQueryBuilder(AuditEntryEntity, 'entry')
        .leftJoin(AuditSealEntity, 'seal', 'seal.audit_id = entry.audit_id')
        .addSelect('seal.hash', 'hash')
        .orderBy('entry.at', 'DESC')
        .addOrderBy('entry.audit_id', 'DESC')
        .limit(limit + 1);
      if (person !== undefined) rows.andWhere('entry.actor_person = :person', { person });
      if (action !== undefined) rows.andWhere('entry.action = :action', { action });
      if (named !== undefined) rows.andWhere('entry.target_type = :type AND entry.target_id = :id', named);
      if (from !== undefined) rows.andWhere('entry.at >= :from', { from });
      if (to !== undefined) rows.andWhere('entry.at < :to', { to });
      if (before !== undefined) {
        rows.andWhere('(entry.at, entry.audit_id) < (:at, :auditId)', { at: cursorTime, auditId: before[1] });
      }
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

/** Throws `invalid_cursor` (400) for a number outside the range of times. */
function timeOf(timeMs: number): Date {
  const time = new Date(timeMs);
  if (!Number.isNaN(time.getTime())) return time;
  throw new ApiError(
    'invalid_cursor',
    'Use the `next_cursor` of this list as it was answered, or leave it out.',
  );
}
