import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { UsersService } from './users.service.js';

/** Makes the first operator that the settings name, at a start where there is none. */
@Injectable()
export class BootstrapOperator implements OnApplicationBootstrap {
  private readonly logger = new Logger(BootstrapOperator.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly users: UsersService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { bootstrapAdmin } = this.config;
    if (bootstrapAdmin === undefined || (await this.users.hasOperator())) return;
    const user = await this.users.ensure({ ...bootstrapAdmin, isOperator: true });
    if (!user.isOperator) {
      this.logger.warn(
        `BOOTSTRAP_ADMIN_USERNAME names ${user.username}, who is known already and no operator; nothing was changed.`,
      );
    }
  }
}
