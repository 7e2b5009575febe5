import { Global, Module } from '@nestjs/common';
import { SignedKeys } from '../../../kit/security/signed-keys.js';
import { AuthModule } from '../auth.module.js';
import { KeySignatures } from './key-signatures.js';

/** Keys that sign for all modules, also those of plugins. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [{ provide: SignedKeys, useClass: KeySignatures }],
  exports: [SignedKeys],
})
export class SignedKeysModule {}
