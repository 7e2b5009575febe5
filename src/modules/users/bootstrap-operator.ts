import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CoreService } from '../../core/core.service.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { UsersService } from './users.service.js';

/** Makes the first operator that the settings name, at a start where there is none. */
@Injectable()
export class BootstrapOperator implements OnApplicationBootstrap {
  private readonly logger = new Logger(BootstrapOperator.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly users: UsersService,
    private readonly core: CoreService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { bootstrapAdmin } = this.config;
    // Every user has an account, and only one process opens accounts; where another one leads, it is that one's turn.
    if (bootstrapAdmin === undefined || !this.core.status().leading) return;
    // The named operator is ensured again, for a start that was cut short before its account was opened.
    const named = await this.users.findByUsername(bootstrapAdmin.username);
    if (!named?.isOperator && (await this.users.hasOperator())) return;
    const user = await this.users.ensure({ ...bootstrapAdmin, isOperator: true });
    if (!user.isOperator) {
      this.logger.warn(
        `BOOTSTRAP_ADMIN_USERNAME names ${user.username}, who is known already and no operator; nothing was changed.`,
      );
    }
  }
}
