import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApprovalKinds } from './approval-kind.js';
import { ApprovalList } from './approval-list.service.js';
import { ApprovalUpkeep } from './approval-upkeep.js';
import { ApprovalEntity } from './approval.entity.js';
import { Approvals } from './approvals.service.js';
import { SecondPerson } from './second-person.js';

/** Approvals for every module. Needs the database, and `Persons` from the users' module. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ApprovalEntity])],
  providers: [ApprovalKinds, ApprovalList, Approvals, ApprovalUpkeep, SecondPerson],
  exports: [ApprovalKinds, ApprovalList, Approvals, SecondPerson],
})
export class ApprovalsModule {}
