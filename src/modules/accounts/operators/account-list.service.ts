import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { decodeCursor, type Page, SCANNED_ROWS_MAX, scannedPageOf } from '../../../kit/http/pagination.js';
import { prefixPageOf } from '../../../kit/http/prefix-search.js';
import {
  type ListedAccountRow,
  type ListAllAccountsQueryDto,
  type OperatorAccountDto,
  standingOf,
  toOperatorAccountDto,
} from './account-list.dto.js';
import { StoredFields } from '../../../kit/fields/stored-fields.js';
import { FIELDS_OF_ACCOUNTS, fieldsIdOf } from '../account.dto.js';
import { AccountOwners } from '../owners/account-owners.service.js';
import { ACCOUNT_IDS } from '../ids.js';

const ROWS = `a.account_id, a.kind, a.name, a.owner, a.frozen, a.created_at,
  (SELECT username FROM users WHERE user_id = substring(a.owner FROM '^user:([0-9]+)$')::bigint) AS username
  FROM accounts a`;

/** The accounts of all owners, as operators list and search them. Those of the house are not among them. */
@Injectable()
export class AccountList {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly owners: AccountOwners,
    private readonly fields: StoredFields,
  ) {}

  /**
   * Newest first; with `q` in the order of their names. Where few accounts meet the filter, a page may be shorter than
   * its limit, even empty, and still have a next one. Throws `not_found` for an unknown owner, `invalid_cursor`.
   */
  async list(query: ListAllAccountsQueryDto): Promise<Page<OperatorAccountDto>> {
    const page = await this.pageOf(query);
    return { ...page, data: await this.fields.shownWith('accounts', page.data, fieldsIdOf, 'operators') };
  }

  private async pageOf(query: ListAllAccountsQueryDto): Promise<Page<OperatorAccountDto>> {
    const { q, status } = query;
    const owner = query.owner === undefined ? undefined : await this.owners.find(query.owner);
    const accountId = q === undefined ? undefined : ACCOUNT_IDS.parse(q);
    const keeps = (account: ListedAccountRow): boolean =>
      account.owner !== null &&
      (owner === undefined || account.owner === owner) &&
      (status === undefined || standingOf(account) === status) &&
      // Of one owner all accounts are looked through: they are few, and those of a name may be many.
      (owner === undefined || q === undefined || accountId !== undefined || beginsWith(account.name, q));
    if (q === undefined || owner !== undefined || accountId !== undefined) {
      return this.byId(query, { owner, accountId }, keeps);
    }
    const search = {
      rows: ROWS,
      where: `a.owner IS NOT NULL AND ${hasFields(query)}`,
      texts: ['a.name'],
      id: 'a.account_id',
      keeps,
      toItem: toOperatorAccountDto,
    };
    return prefixPageOf(this.dataSource.manager, search, { ...query, q });
  }

  private async byId(
    query: ListAllAccountsQueryDto,
    { owner, accountId }: { readonly owner?: string | undefined; readonly accountId?: number | undefined },
    keeps: (account: ListedAccountRow) => boolean,
  ): Promise<Page<OperatorAccountDto>> {
    const { limit, cursor, status } = query;
    const [before] = decodeCursor(cursor, ['integer']) ?? [Number.MAX_SAFE_INTEGER];
    const rows = await this.dataSource.query<ListedAccountRow[]>(
      `SELECT ${ROWS} WHERE a.account_id < $1 AND ${hasFields(query)}
         ${owner === undefined ? '' : 'AND a.owner = $2'}
         ${accountId === undefined ? '' : `AND a.account_id = ${accountId}`}
         ${status === 'frozen' ? 'AND a.frozen' : ''}
       ORDER BY a.account_id DESC LIMIT ${SCANNED_ROWS_MAX}`,
      owner === undefined ? [before] : [before, owner],
    );
    const placeOf = ({ account_id: id }: ListedAccountRow): [number] => [Number(id)];
    return scannedPageOf(rows, { limit, keeps, placeOf, toItem: toOperatorAccountDto });
  }
}

function hasFields({ fields }: ListAllAccountsQueryDto): string {
  return FIELDS_OF_ACCOUNTS.isAmong('a.account_id::text', fields);
}

function beginsWith(name: string, q: string): boolean {
  return name.toLowerCase().startsWith(q.toLowerCase());
}
