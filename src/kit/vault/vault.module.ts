import { extensionPoint } from '../module/extension-point.js';
import { KeyVault } from './key-vault.js';
import { PassphraseVault } from './passphrase-vault.js';
import { SecretBox } from './secret-box.js';
import { TradepostModule } from '../module/tradepost-module.js';

/** Stored secrets for every module, and the vault of keys. */
@TradepostModule({
  name: 'vault',
  extensionPoints: [extensionPoint(KeyVault, PassphraseVault)],
  providers: [SecretBox],
  exports: [SecretBox],
})
export class VaultModule {}
