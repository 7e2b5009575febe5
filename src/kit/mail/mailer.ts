import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { isEmail } from 'class-validator';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { CONFIG, type Config } from '../config/config.js';
import { Texts } from '../words/texts.js';
import { type MailContent, renderMail } from './mail-content.js';
import { smtpOptionsOf } from './smtp-options.js';

/** Only the service may read the mails that it keeps. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Whether mail can go to an address. Nothing else is ever sent to: a name, a list or a quoted part could make one
 * recipient several.
 */
export function isMailAddress(text: string): boolean {
  return isEmail(text, { allow_utf8_local_part: false, blacklisted_chars: '"' });
}

/** Sends mails: to the server of `SMTP_URL`; without one as files, which mail programs open, or in production not at all. */
@Injectable()
export class Mailer implements OnApplicationBootstrap {
  private readonly logger = new Logger(Mailer.name);
  private readonly deliver: (mail: SendMailOptions) => Promise<void>;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly texts: Texts,
  ) {
    const { smtpUrl } = config.mail;
    if (smtpUrl !== undefined) this.deliver = (mail) => this.toServer(smtpUrl, mail);
    else if (config.nodeEnv === 'production') this.deliver = () => Promise.resolve();
    else this.deliver = (mail) => this.toFile(mail);
  }

  onApplicationBootstrap(): void {
    if (this.config.mail.smtpUrl !== undefined || this.config.nodeEnv !== 'production') return;
    this.logger.warn(
      'SMTP_URL is not set, so no mail goes out: users cannot verify addresses or reset passwords, and get no news of their security.',
    );
  }

  /**
   * Sends one mail to one address. A server that refuses the recipient for good is no failure, since another try would
   * change nothing. Rejects where a later try may succeed, without what was in the mail, and when `signal` aborts.
   */
  async send(to: string, content: MailContent, signal: AbortSignal): Promise<void> {
    if (!isMailAddress(to)) throw new Error('This is no address that mail can go to.');
    const sending = this.deliver({
      ...renderMail(content, this.texts),
      from: this.config.mail.from,
      to: { name: '', address: to },
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    await unlessAborted(sending, signal);
  }

  private async toServer(smtpUrl: string, mail: SendMailOptions): Promise<void> {
    const failure = await createTransport(smtpOptionsOf(smtpUrl))
      .sendMail(mail)
      .then(
        () => undefined,
        (error: { readonly code?: string; readonly responseCode?: number }) => error,
      );
    if (failure === undefined) return;
    // The server's own words repeat the address, so they are neither kept nor logged.
    const { code = 'unknown', responseCode } = failure;
    const why = responseCode === undefined ? code : `${code} ${responseCode}`;
    if (code !== 'EENVELOPE' || responseCode === undefined || responseCode < 500) {
      throw new Error(`The mail server took no mail: ${why}.`);
    }
    this.logger.warn({ msg: 'the mail server refuses a recipient, who gets no mail', why });
  }

  private async toFile(mail: SendMailOptions): Promise<void> {
    const { message } = await createTransport({ streamTransport: true, buffer: true }).sendMail(mail);
    const folder = join(this.config.dataDir, 'mail');
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await writeFile(join(folder, name), message as Buffer, { flag: 'wx', mode: FILE_MODE });
    this.logger.log({ msg: 'a mail is in a file, since SMTP_URL is not set', file: join(folder, name) });
  }
}

/** The server may be silent for longer than the service takes to stop. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop: () => void;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error('The service stops.'));
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, stopped]).finally(() => signal.removeEventListener('abort', stop));
}
