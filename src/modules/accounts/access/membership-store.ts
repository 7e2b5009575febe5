import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { MemberRole } from './account-roles.js';
import { UserStatus } from '../../users/user.entity.js';
import type { Credential } from '../../../kit/security/credential-cache.js';

export type Roles = ReadonlyMap<number, MemberRole>;

interface RoleRow {
  readonly member: string;
  readonly account_id: string;
  readonly role: MemberRole;
  readonly owner: string;
}

/** Reads the roles of persons on accounts of others, as credentials are read: they end with the owner's standing. */
@Injectable()
export class MembershipStore {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** Of everybody who is asked for: most have none. */
  async find(persons: readonly string[]): Promise<ReadonlyMap<string, Credential<Roles>>> {
    const rows = await this.database.query<RoleRow[]>(
      `SELECT held.member, held.account_id, held.role, held.owner
         FROM account_members held
         JOIN users owner ON owner.user_id = substring(held.owner FROM '^user:([0-9]{1,18})$')::bigint
        WHERE held.member = ANY($1) AND owner.user_status = $2`,
      [persons, UserStatus.active],
    );
    return new Map(
      persons.map((person) => [
        person,
        rolesIn(
          person,
          rows.filter(({ member }) => member === person),
        ),
      ]),
    );
  }
}

function rolesIn(person: string, rows: readonly RoleRow[]): Credential<Roles> {
  return {
    answer: new Map(rows.map(({ account_id, role }) => [Number(account_id), role])),
    expiresAtMs: Infinity,
    heldBy: [person, ...new Set(rows.map(({ owner }) => owner))],
  };
}

/** Ends all that a person is on accounts of others, and what others are on the person's. */
export async function endMembershipsOf(manager: EntityManager, person: string): Promise<void> {
  await manager.query('DELETE FROM account_members WHERE member = $1 OR owner = $1', [person]);
}
