import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApprovalKinds } from '../approvals/approval-kind.js';
import { CONFIG, type Config } from '../config/config.js';
import { JobLeader } from '../jobs/job-leader.js';
import { Jobs } from '../jobs/jobs.js';
import { Purges } from '../jobs/purges.js';
import { PersonalDataRegistry } from '../personal-data/personal-data.js';
import { ModuleSet } from './module-set.js';

/** Hands what modules declare to whoever works with it, once every object is made and before the service starts. */
@Injectable()
export class Enlistment implements OnModuleInit {
  constructor(
    private readonly set: ModuleSet,
    private readonly objects: ModuleRef,
    @Inject(CONFIG) private readonly config: Config,
    private readonly leader: JobLeader,
    private readonly jobs: Jobs,
    private readonly purges: Purges,
    private readonly kinds: ApprovalKinds,
    private readonly personalData: PersonalDataRegistry,
  ) {}

  onModuleInit(): void {
    this.purges.add(...this.set.purgesWith(this.config));
    for (const { approvals = [], personalData = [], jobs = [], duties = [] } of this.set.all) {
      for (const { approvals: kinds } of this.objectsOf(approvals)) {
        for (const kind of kinds) this.kinds.register(kind);
      }
      for (const { sections = [], erasures = [] } of this.objectsOf(personalData)) {
        this.personalData.exports(...sections);
        this.personalData.erases(...erasures);
      }
      for (const { task, handler, work } of jobs) {
        const object = this.objectOf(handler);
        this.jobs.handle(task, (payload, run) => work(object, payload, run));
      }
      for (const { duty } of this.objectsOf(duties)) if (duty !== undefined) this.leader.assume(duty);
    }
  }

  private objectsOf<T>(types: readonly Type<T>[]): T[] {
    return types.map((type) => this.objectOf(type));
  }

  private objectOf<T>(type: Type<T>): T {
    return this.objects.get(type, { strict: false });
  }
}
