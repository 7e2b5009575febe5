import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CoreService } from '../../core/core.service.js';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { UsersService } from './users.service.js';

/** Makes the first operators that the settings name, at a start where there are no others. */
@Injectable()
export class BootstrapOperators implements OnApplicationBootstrap {
  private readonly logger = new Logger(BootstrapOperators.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly users: UsersService,
    private readonly core: CoreService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { bootstrapAdmins } = this.config;
    // Every user has an account, and only one process opens accounts; where another one leads, it is that one's turn.
    if (bootstrapAdmins.length === 0 || !this.core.status().leading) return;
    // Those who are named are ensured again, for a start that was cut short, and so that a lone operator gets a second.
    const names = bootstrapAdmins.map(({ username }) => username);
    if (await this.users.hasOperatorBeside(names)) return;
    for (const admin of bootstrapAdmins) {
      const user = await this.users.ensure({ ...admin, isOperator: true });
      if (!user.isOperator) {
        this.logger.warn(
          `BOOTSTRAP_ADMIN_USERNAME names ${user.username}, who is known already and no operator; nothing was changed.`,
        );
      }
    }
  }
}
