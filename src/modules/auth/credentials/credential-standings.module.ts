import { Global, Module } from '@nestjs/common';
import { CredentialStandings } from '../../../kit/security/credential-standings.js';
import { AuthModule } from '../auth.module.js';
import { CredentialAuthenticator } from './credential-authenticator.js';

/** Provides webhooks with the state of the credentials that created them. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [{ provide: CredentialStandings, useExisting: CredentialAuthenticator }],
  exports: [CredentialStandings],
})
export class CredentialStandingsModule {}
