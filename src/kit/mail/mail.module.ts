import { Module } from '@nestjs/common';
import { Mailer } from './mailer.js';

/** Outgoing mail, for every module. */
@Module({ providers: [Mailer], exports: [Mailer] })
export class MailModule {}
