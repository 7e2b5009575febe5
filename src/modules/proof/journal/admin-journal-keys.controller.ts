import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_SECURITY, operators } from '../../../kit/security/operator-roles.js';
import { JournalKeyDto } from './journal-proof.dto.js';
import { JournalProofs } from './journal-proofs.service.js';

/** The keys that sign the journal's heads, as operators rotate them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SECURITY))
@Controller('admin/journal/keys')
export class AdminJournalKeysController {
  constructor(private readonly proofs: JournalProofs) {}

  /**
   * Sign by a new key from now on
   * @remarks The key before signs the new one, so that whoever trusts it need not ask anybody. What it has signed stays
   * valid.
   */
  @Post()
  rotate(): Promise<JournalKeyDto> {
    return this.proofs.rotate();
  }
}
