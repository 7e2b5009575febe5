import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { Jobs } from '../../../kit/jobs/jobs.js';
import { isTooLate } from '../../../kit/mail/mail-jobs.js';
import { Mailer } from '../../../kit/mail/mailer.js';
import { contentOf } from './notice.js';
import { SEND_NOTICE } from './tell.js';

/** Sends the notices that `tell` has written down. */
@Injectable()
export class NoticeMails implements OnModuleInit {
  private readonly logger = new Logger(NoticeMails.name);

  constructor(
    private readonly jobs: Jobs,
    private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.jobs.handle(SEND_NOTICE, async (notice, { signal }) => {
      if (isTooLate(notice.at)) {
        this.logger.warn({ msg: 'a notice could not be sent for a day, and is dropped', kind: notice.kind });
        return;
      }
      await this.mailer.send(notice.to, contentOf(notice, this.config.publicUrl), signal);
    });
  }
}
