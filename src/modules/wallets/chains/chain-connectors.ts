import { Injectable } from '@nestjs/common';
import { Settings } from '../../../kit/config/settings.js';
import type { ChainConnector } from './chain-connector.js';
import { CHAIN_RPC_URLS, ETHEREUM_SETTINGS } from './chain-settings.js';
import { EvmConnector } from './evm-connector.js';

/**
 * Extension point: the chains for deposits and transfers. Bind a class that extends `ConfiguredChains` to add one, or
 * your own to replace them all.
 */
export abstract class ChainConnectors {
  /** One for each chain; the same objects at every call. */
  abstract all(): readonly ChainConnector[];

  /** Undefined for a chain without a connector. */
  connectorOf(chain: string): ChainConnector | undefined {
    return this.all().find((connector) => connector.chain === chain);
  }
}

/** The default: ethereum, where `CHAIN_ETHEREUM_RPC_URL` names a node. */
@Injectable()
export class ConfiguredChains extends ChainConnectors {
  private readonly connectors: readonly ChainConnector[];

  constructor(settings: Settings) {
    super();
    const { ethereum: url } = settings.get(CHAIN_RPC_URLS);
    this.connectors =
      url === undefined
        ? []
        : [
            new EvmConnector({
              chain: 'ethereum',
              nativeAsset: 'ETH',
              url,
              ...settings.get(ETHEREUM_SETTINGS),
            }),
          ];
  }

  override all(): readonly ChainConnector[] {
    return this.connectors;
  }
}
