import { Injectable } from '@nestjs/common';
import { type AssetChain, AssetChains } from '../../markets/assets/asset-ways.js';
import { ChainConnectors } from './chain-connectors.js';

/** The chains that have a connector for an asset. */
@Injectable()
export class ChainsOfAssets extends AssetChains {
  constructor(private readonly chains: ChainConnectors) {
    super();
  }

  override chainsOf(asset: string): readonly AssetChain[] {
    return this.chains
      .all()
      .flatMap(({ chain, assets, confirmations }) =>
        assets
          .filter(({ code }) => code === asset)
          .map(({ depositMinimum }) => ({ chain, depositMinimum, confirmations })),
      );
  }
}
