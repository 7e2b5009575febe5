import { Injectable } from '@nestjs/common';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../kit/http/pagination.js';
import type { Principal } from '../../kit/security/principal.js';
import { AccountAccessService } from './access/account-access.service.js';
import { AccountFields } from './account-fields.service.js';
import { type ReachedAccountDto, toReachedAccountDto } from './account.dto.js';

/** The accounts of those who ask. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly access: AccountAccessService,
    private readonly fields: AccountFields,
  ) {}

  /** The caller's own, and those of others on which the caller has a role. Newest first. */
  async list(principal: Principal, query: PageQueryDto): Promise<Page<ReachedAccountDto>> {
    const [before] = decodeCursor(query.cursor, ['integer']) ?? [Infinity];
    const reached = (await this.access.reachedBy(principal))
      .filter(({ account }) => account.accountId < before)
      .sort((a, b) => b.account.accountId - a.account.accountId);
    const page = pageOf(
      reached,
      query.limit,
      ({ account }) => [account.accountId],
      (each) => toReachedAccountDto(each, principal),
    );
    return { ...page, data: await this.fields.shown(page.data) };
  }
}
