import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AuditEntryEntity } from '../../kit/audit/audit-entry.entity.js';
import type { Row } from '../../kit/database/rows.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { StoredFields } from '../../kit/fields/stored-fields.js';
import type { DataOwner, PersonalSection } from '../../kit/personal-data/personal-data.js';
import { toUserDto } from './user.dto.js';
import { UsersService } from './users.service.js';
import { AUDIT_ENTRY_IDS } from '../../kit/audit/ids.js';

const PAGE_ROWS = 500;

/** Along its index: acts of the person, or acts on the user. */
const AUDIT_PAGES = [
  `actor_person = $1 AND $2::text IS NOT NULL`,
  `target_type = 'user' AND target_id = $2 AND actor_person IS DISTINCT FROM $1`,
] as const;

type AuditRow = Row<
  AuditEntryEntity,
  'auditId' | 'at' | 'action' | 'outcome' | 'actorPerson' | 'actorAddress'
>;

/** An entry of the audit log, without what it tells of others. */
interface OwnAuditEntry {
  readonly audit_id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: string;
  readonly by: 'you' | 'others';
  /** Where you were; null for acts of others. */
  readonly address: string | null;
}

/** Exports what users say of themselves, and what the audit log says of them. */
@Injectable()
export class UsersPersonalData {
  readonly sections: readonly PersonalSection[] = [
    {
      name: 'user',
      holds: 'who you are, as you have told it',
      rows: (owner) => this.profileOf(owner),
    },
    {
      name: 'audit_log',
      holds: 'log-ins and changes of credentials, and what operators did to your user',
      rows: (owner) => this.auditOf(owner),
    },
  ];

  constructor(
    private readonly users: UsersService,
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly fields: StoredFields,
  ) {}

  private async *profileOf({ userId }: DataOwner): AsyncGenerator<object> {
    const user = await this.users.find(userId);
    if (user === null) return;
    const { password: _constant, ...profile } = toUserDto(user);
    const declared = await this.fields.shownWith('users', [profile], ({ id }) => `${id}`);
    yield { ...declared[0], created_at: user.createdAt.toISOString() };
  }

  private async *auditOf({ key, username }: DataOwner): AsyncGenerator<OwnAuditEntry> {
    for (const condition of AUDIT_PAGES) {
      let rows: AuditRow[];
      let last: AuditRow | undefined;
      do {
        ({ rows } = await this.pool.query<AuditRow>(
          `SELECT audit_id, at, action, outcome, actor_person, actor_address FROM audit_log
           WHERE ${condition} AND ($3::bigint IS NULL OR (at, audit_id) > ($4::timestamptz, $3::bigint))
           ORDER BY at, audit_id LIMIT ${PAGE_ROWS}`,
          [key, username, last?.audit_id, last?.at],
        ));
        last = rows.at(-1);
        yield* rows.map((row) => toOwnEntry(row, key));
      } while (rows.length === PAGE_ROWS);
    }
  }
}

function toOwnEntry(row: AuditRow, key: string): OwnAuditEntry {
  const isOwn = row.actor_person === key;
  return {
    audit_id: AUDIT_ENTRY_IDS.format(Number(row.audit_id)),
    at: row.at.toISOString(),
    action: row.action,
    outcome: row.outcome,
    by: isOwn ? 'you' : 'others',
    address: isOwn ? row.actor_address : null,
  };
}
