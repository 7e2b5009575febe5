import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { StoredFields } from '../../kit/fields/stored-fields.js';
import { decodeCursor, type Page, SCANNED_ROWS_MAX, scannedPageOf } from '../../kit/http/pagination.js';
import { prefixPageOf } from '../../kit/http/prefix-search.js';
import {
  LISTED_USER,
  type ListUsersQueryDto,
  type OperatorUserDto,
  toOperatorUserDto,
  type UserRow,
} from './operator-user.dto.js';
import { FIELDS_OF_USERS, UserStatus } from './user.entity.js';

const ROWS = `${LISTED_USER.of('users')} FROM users`;

/** All users, as operators list and search them. */
@Injectable()
export class UserList {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly fields: StoredFields,
  ) {}

  /**
   * Newest first; with `q` in the order of what begins with it. Where few users meet the filter, a page may be shorter
   * than its limit, even empty, and still have a next one. Throws `invalid_cursor`.
   */
  async list(query: ListUsersQueryDto): Promise<Page<OperatorUserDto>> {
    const { data, next_cursor } = await this.pageOf(query);
    const shown = await this.fields.shownWith('users', data, ({ id }) => `${id}`, 'operators');
    return { data: shown, next_cursor };
  }

  private async pageOf(query: ListUsersQueryDto): Promise<Page<OperatorUserDto>> {
    const { q, status, limit } = query;
    const where = FIELDS_OF_USERS.isAmong('user_id::text', query.fields);
    const keeps = ({ user_status: is }: UserRow): boolean =>
      status === undefined ? is !== UserStatus.closed : is === UserStatus[status];
    if (q !== undefined) {
      const texts = ['username', 'email', 'first_name', 'last_name'];
      const search = { rows: ROWS, where, texts, id: 'user_id', keeps, toItem: toOperatorUserDto };
      return prefixPageOf(this.dataSource.manager, search, { ...query, q });
    }
    const [before] = decodeCursor(query.cursor, ['integer']) ?? [Number.MAX_SAFE_INTEGER];
    // Few are not active, and they have an index; of the others only closed ones are passed over.
    const isIndexed = status === 'locked' || status === 'closed';
    const condition = isIndexed ? `AND user_status <> 0 AND user_status = ${UserStatus[status]}` : '';
    const rows = await this.dataSource.query<UserRow[]>(
      `SELECT ${ROWS} WHERE user_id < $1 AND ${where} ${condition} ORDER BY user_id DESC LIMIT ${SCANNED_ROWS_MAX}`,
      [before],
    );
    const placeOf = ({ user_id: userId }: UserRow): [number] => [Number(userId)];
    return scannedPageOf(rows, { limit, keeps, placeOf, toItem: toOperatorUserDto });
  }
}
