import { Module } from '@nestjs/common';
import { HostNames } from './host-names.js';
import { OutgoingHttp } from './outgoing-http.js';

/** Calls to addresses that others name, for every module. */
@Module({ providers: [HostNames, OutgoingHttp], exports: [OutgoingHttp] })
export class OutgoingModule {}
