import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import type { JobRun } from '../../../kit/jobs/job-task.js';
import { isTooLate } from '../../../kit/mail/mail-jobs.js';
import { Texts } from '../../../kit/words/texts.js';
import { Mailer } from '../../../kit/mail/mailer.js';
import { contentOf, type Notice } from './notice.js';

/** Sends the notices that `tell` has written down. */
@Injectable()
export class NoticeMails {
  private readonly logger = new Logger(NoticeMails.name);

  constructor(
    private readonly mailer: Mailer,
    private readonly texts: Texts,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async send(notice: Notice, { signal }: JobRun): Promise<void> {
    if (isTooLate(notice.at)) {
      this.logger.warn({ msg: 'a notice could not be sent for a day, and is dropped', kind: notice.kind });
      return;
    }
    await this.mailer.send(notice.to, contentOf(notice, this.texts, this.config.publicUrl), signal);
  }
}
