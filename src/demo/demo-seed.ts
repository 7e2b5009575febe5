import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../core/core.service.js';
import { ApiKeysService } from '../modules/auth/api-keys/api-keys.service.js';
import { OAuthClientsService } from '../modules/auth/clients/oauth-clients.service.js';
import { UsersService } from '../modules/users/users.service.js';
import { CONFIG, demoDataRefusal, type Config } from '../kit/config/config.js';
import { ModuleSet } from '../kit/module/module-set.js';
import {
  DEMO_API_KEY,
  DEMO_BROWSER_CLIENT,
  DEMO_CLIENTS,
  DEMO_EXPLORER_CLIENT,
  DEMO_USERS,
} from './demo-data.js';
import { DemoLedger } from './demo-ledger.js';

type Progress = 'absent' | 'begun' | 'completed';

/**
 * Seeds the demo data, once per database, before the service listens. It is marked as begun before
 * anything is written, so a start that was cut short is finished by the next one, and a database that
 * has even a part of the data is known to have it.
 */
@Injectable()
export class DemoSeed implements OnApplicationBootstrap {
  private readonly logger = new Logger(DemoSeed.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly database: DataSource,
    private readonly core: CoreService,
    private readonly users: UsersService,
    private readonly clients: OAuthClientsService,
    private readonly apiKeys: ApiKeysService,
    private readonly ledger: DemoLedger,
    private readonly modules: ModuleSet,
    private readonly objects: ModuleRef,
  ) {}

  /** Rejects with a ConfigError where the settings forbid the demo data that the database has. */
  async onApplicationBootstrap(): Promise<void> {
    const progress = await this.progress();
    const refusal = progress === 'absent' ? undefined : demoDataRefusal(this.config);
    if (refusal !== undefined) throw refusal;
    // Only one process writes to the core; where another one leads, it is that one's to seed.
    if (!this.config.seedDemo || progress === 'completed' || !this.core.status().leading) return;
    await this.seed();
    this.logger.log('Demo data are in place.');
  }

  private async seed(): Promise<void> {
    await this.database.query(`INSERT INTO seeds (name) VALUES ('demo') ON CONFLICT DO NOTHING`);
    for (const user of DEMO_USERS) await this.users.ensure(user);
    for (const client of DEMO_CLIENTS) await this.clients.ensure(client);
    await this.clients.ensure(DEMO_BROWSER_CLIENT);
    await this.clients.ensure(DEMO_EXPLORER_CLIENT);
    await this.apiKeys.ensure(DEMO_API_KEY);
    await this.ledger.seed();
    for (const type of this.modules.all.flatMap(({ demoData = [] }) => demoData)) {
      await this.objects.get(type, { strict: false }).seedDemo();
    }
    await this.database.query(`UPDATE seeds SET completed_at = now() WHERE name = 'demo'`);
  }

  private async progress(): Promise<Progress> {
    const [seed] = await this.database.query<{ completed_at: Date | null }[]>(
      `SELECT completed_at FROM seeds WHERE name = 'demo'`,
    );
    if (seed === undefined) return 'absent';
    return seed.completed_at === null ? 'begun' : 'completed';
  }
}
