import { Global, Module } from '@nestjs/common';
import { CredentialStandings } from '../../../platform/security/credential-standings.js';
import { AuthModule } from '../auth.module.js';
import { CredentialAuthenticator } from './credential-authenticator.js';

/** Binds what webhooks ask of the credentials that made them. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [{ provide: CredentialStandings, useExisting: CredentialAuthenticator }],
  exports: [CredentialStandings],
})
export class CredentialStandingsModule {}
