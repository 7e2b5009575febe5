import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { UserStatus } from './user.entity.js';

/** Owners of accounts and wallets who are users and have closed: nobody can reach what arrives there. */
@Injectable()
export class ClosedOwners {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** `owner` as in `Principal.accountOwner`. */
  async has(owner: string, manager: EntityManager = this.database.manager): Promise<boolean> {
    const [{ closed }] = await manager.query<[{ closed: boolean }]>(
      `SELECT ${isClosedSql('$1::text')} AS closed`,
      [owner],
    );
    return closed;
  }
}

/** The SQL condition that an owner is a user who is closed; `owner` is the expression that names the owner. */
export function isClosedSql(owner: string): string {
  return `EXISTS (SELECT FROM users former WHERE former.user_status = ${UserStatus.closed}
    AND former.user_id = substring(${owner} FROM '^user:([0-9]+)$')::bigint)`;
}
