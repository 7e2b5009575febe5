import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DeclaredRoutes } from '../http/declared-routes.js';
import { CredentialCheck } from './credential-check.js';

@Module({ imports: [DiscoveryModule], providers: [DeclaredRoutes, CredentialCheck] })
export class SecurityModule {}
