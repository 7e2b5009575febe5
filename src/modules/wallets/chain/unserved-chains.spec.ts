import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { settingsOf } from '../../../../test/support/settings.js';
import { type ChainConnectors, ConfiguredChains } from '../chains/chain-connectors.js';
import { CHAIN_RPC_URLS, ETHEREUM_SETTINGS } from '../chains/chain-settings.js';
import { UnservedChains } from './unserved-chains.js';

describe('nodes of chains without a connector', () => {
  afterEach(() => vi.restoreAllMocks());

  it('are named at the start, without their addresses', () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const settings = settingsOf([CHAIN_RPC_URLS, ETHEREUM_SETTINGS], {
      CHAIN_BITCOIN_RPC_URL: 'http://s3cret',
      CHAIN_ETHEREUM_RPC_URL: 'http://127.0.0.1',
    });
    const connectors: ChainConnectors = new ConfiguredChains(settings);
    new UnservedChains(settings, connectors).onApplicationBootstrap();
    expect(warn.mock.calls).toEqual([
      [
        'CHAIN_BITCOIN_RPC_URL is not used: no connector serves bitcoin. Remove it, or name the plugin that does in PLUGINS.',
      ],
    ]);
  });
});
