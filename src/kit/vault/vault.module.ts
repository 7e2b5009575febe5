import { Global, Module } from '@nestjs/common';
import { SecretBox } from './secret-box.js';

/** Stored secrets for every module. The `KeyVault` below is an extension point, provided like the others. */
@Global()
@Module({ providers: [SecretBox], exports: [SecretBox] })
export class VaultModule {}
