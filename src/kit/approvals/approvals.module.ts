import { port } from '../module/extension-point.js';
import { ApprovalKinds } from './approval-kinds.js';
import { ApprovalList } from './approval-list.service.js';
import { ApprovalUpkeep } from './approval-upkeep.js';
import { ApprovalEntity, KEYED_APPROVALS } from './approval.entity.js';
import { Approvals } from './approvals.service.js';
import { Persons } from './persons.js';
import { SecondPerson } from './second-person.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { APPROVAL_IDS } from './ids.js';

/** Approvals for every module; needs the database. */
@TradepostModule({
  name: 'approvals',
  idPrefixes: [APPROVAL_IDS],
  extensionPoints: [port(Persons)],
  purges: [KEYED_APPROVALS.purge],
  duties: [ApprovalUpkeep],
  entities: [ApprovalEntity],
  providers: [ApprovalKinds, ApprovalList, Approvals, SecondPerson],
  exports: [ApprovalKinds, ApprovalList, Approvals, SecondPerson],
})
export class ApprovalsModule {}
