import { DiscoveryModule } from '@nestjs/core';
import { DeclaredRoutes } from '../http/declared-routes.js';
import { port } from '../module/extension-point.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { CredentialCheck } from './credential-check.js';
import { CredentialStandings } from './credential-standings.js';
import { SignedKeys } from './signed-keys.js';

@TradepostModule({
  name: 'security',
  extensionPoints: [port(CredentialStandings), port(SignedKeys)],
  imports: [DiscoveryModule],
  providers: [DeclaredRoutes, CredentialCheck],
})
export class SecurityModule {}
