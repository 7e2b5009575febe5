import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CredentialCheck } from './credential-check.js';

@Module({ imports: [DiscoveryModule], providers: [CredentialCheck] })
export class SecurityModule {}
