import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApprovalKinds } from '../approvals/approval-kinds.js';
import { SharedCaches } from '../changes/shared-caches.js';
import { CONFIG, type Config } from '../config/config.js';
import { StartRefusal } from '../config/start-refusal.js';
import { Filters } from '../filters/filters.js';
import { Consumers } from '../consumers/consumers.js';
import { JobLeader } from '../jobs/job-leader.js';
import { Jobs } from '../jobs/jobs.js';
import { Purges } from '../jobs/purges.js';
import { Schedules } from '../jobs/schedules.js';
import { PersonalDataRegistry } from '../personal-data/personal-data.js';
import type { DeclaredModule } from './declaration-check.js';
import { titleOf } from './module-names.js';
import { ModuleSet } from './module-set.js';
import { isPluginName, PLUGIN_NAME_RULE } from './plugin-name.js';

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
    private readonly caches: SharedCaches,
    private readonly filters: Filters,
    private readonly consumers: Consumers,
    private readonly schedules: Schedules,
  ) {}

  async onModuleInit(): Promise<void> {
    this.purges.add(...this.set.purgesWith(this.config));
    for (const module of this.set.all) this.enlist(module);
    for (const module of this.set.all) await this.loadCaches(module);
  }

  private async loadCaches(module: DeclaredModule): Promise<void> {
    const names = new Set<string>();
    for (const cache of (module.caches ?? []).map((type) => this.objectOf(type, module))) {
      const refuse = (problem: string): never => {
        throw new StartRefusal(
          `${titleOf(module)}: the name "${cache.name}" of ${cache.constructor.name} ${problem}`,
        );
      };
      if (!isPluginName(cache.name)) refuse(`must be ${PLUGIN_NAME_RULE}.`);
      if (names.has(cache.name)) refuse('is that of another cache; change one of them.');
      names.add(cache.name);
      await this.caches.load(module.name, cache);
    }
  }

  private enlist(module: DeclaredModule): void {
    const objectOf = <T>(type: Type<T>): T => this.objectOf(type, module);
    const { approvals = [], personalData = [], jobs = [], duties = [], filters = [] } = module;
    const { consumers = [], schedules = [] } = module;
    for (const { type, handler, kindOf } of approvals) this.kinds.register(type, kindOf(objectOf(handler)));
    for (const { sections = [], erasures = [] } of personalData.map(objectOf)) {
      this.personalData.exports(...sections);
      this.personalData.erases(...erasures);
    }
    for (const { task, handler, work } of jobs) {
      const object = objectOf(handler);
      this.jobs.handle(task, (payload, run) => work(object, payload, run));
    }
    const { name: plugin, errorCodes: codes = [] } = module;
    for (const filter of filters.map(objectOf)) this.filters.add({ plugin, codes, filter });
    for (const consumer of consumers.map(objectOf)) {
      if (!isPluginName(consumer.name))
        throw new StartRefusal(
          `${titleOf(module)}: the consumer ${consumer.constructor.name} needs a "name": ${PLUGIN_NAME_RULE}.`,
        );
      this.consumers.add(module.name, consumer);
    }
    this.schedules.add(...schedules);
    for (const { duty } of duties.map(objectOf)) if (duty !== undefined) this.leader.assume(duty);
  }

  private objectOf<T>(type: Type<T>, module: DeclaredModule): T {
    try {
      return this.objects.get(type, { strict: false });
    } catch (error) {
      throw new StartRefusal(
        `${titleOf(module)}: ${type.name} is declared, and no module provides it; list it in "providers".`,
        { cause: error },
      );
    }
  }
}
