import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../../core/core.service.js';
import type { FieldChanges } from '../../domain/fields.js';
import { StoredFields } from '../../kit/fields/stored-fields.js';
import { type AccountDto, fieldsIdOf, toAccountDto } from './account.dto.js';

/** What plugins keep with accounts. The ledger knows nothing of it. */
@Injectable()
export class AccountFields {
  constructor(
    private readonly core: CoreService,
    private readonly fields: StoredFields,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** For an operator whose act is audited as a whole. */
  write(accountId: number, fields: FieldChanges): Promise<void> {
    return this.fields.change(this.dataSource.manager, 'accounts', `${accountId}`, fields, 'operators');
  }

  /** As operators see it. */
  async forOperators(accountId: number): Promise<AccountDto> {
    const answer = toAccountDto((await this.core.account(accountId))!);
    return (await this.fields.shownWith('accounts', [answer], fieldsIdOf, 'operators'))[0]!;
  }

  /** As those who have a role on them see them. */
  shown<Answer extends AccountDto>(answers: readonly Answer[]): Promise<Answer[]> {
    return this.fields.shownWith('accounts', answers, fieldsIdOf);
  }
}
