import { Injectable } from '@nestjs/common';
import { LedgerCheck } from '../../../core/ledger-check/ledger-check.js';
import { type LedgerCheckDto, toLedgerCheckDto } from './ledger-check.dto.js';

@Injectable()
export class LedgerOperationsService {
  constructor(private readonly ledger: LedgerCheck) {}

  /** With `full`, starts the sum over all history where none is running, and tells how far it is. */
  async check(full: boolean): Promise<LedgerCheckDto> {
    const job = full ? this.ledger.checkAll() : undefined;
    return toLedgerCheckDto(await this.ledger.check(), job);
  }
}
