import { Global } from '@nestjs/common';
import { ApprovalKinds } from './approval-kinds.js';
import { ApprovalList } from './approval-list.service.js';
import { ApprovalUpkeep } from './approval-upkeep.js';
import { ApprovalEntity } from './approval.entity.js';
import { Approvals } from './approvals.service.js';
import { SecondPerson } from './second-person.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { APPROVAL_IDS } from './ids.js';

/** Approvals for every module. Needs the database, and `Persons` from the users' module. */
@Global()
@TradepostModule({
  name: 'approvals',
  idPrefixes: [APPROVAL_IDS],
  duties: [ApprovalUpkeep],
  entities: [ApprovalEntity],
  providers: [ApprovalKinds, ApprovalList, Approvals, SecondPerson],
  exports: [ApprovalKinds, ApprovalList, Approvals, SecondPerson],
})
export class ApprovalsModule {}
