import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ChainConnectors } from '../chains/chain-connectors.js';
import { CHAIN_RPC_URLS } from '../chains/chain-settings.js';
import { Settings } from '../../../kit/config/settings.js';

/** Says at the start which nodes are named in vain. */
@Injectable()
export class UnservedChains implements OnApplicationBootstrap {
  constructor(
    private readonly settings: Settings,
    private readonly connectors: ChainConnectors,
  ) {}

  onApplicationBootstrap(): void {
    for (const sentence of this.warnings()) new Logger('Settings').warn(sentence);
  }

  /** None has an address in it, which may contain a key. */
  private warnings(): string[] {
    return Object.keys(this.settings.get(CHAIN_RPC_URLS))
      .filter((chain) => this.connectors.connectorOf(chain) === undefined)
      .map(
        (chain) =>
          `${CHAIN_RPC_URLS.name.replace('<NAME>', chain.toUpperCase())} is not used: no connector serves ${chain}. Remove it, or name the plugin that does in PLUGINS.`,
      );
  }
}
