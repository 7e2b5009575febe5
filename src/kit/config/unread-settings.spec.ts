import { describe, expect, it } from 'vitest';
import { SETTINGS } from './config.js';
import { unreadSettings } from './unread-settings.js';

const read = { settings: [...SETTINGS.map(({ name }) => name), 'DESK_LIMIT'], chains: ['ethereum'] };

describe('variables that nothing reads', () => {
  it.each([
    ['REDIS_URI', 'REDIS_URL'],
    ['RATE_LIMIT', 'RATE_LIMITS'],
    ['KEYSTORE_PASPHRASE_FILE', 'KEYSTORE_PASSPHRASE_FILE'],
    ['DESK_LIMITS', 'DESK_LIMIT'],
  ])('are named with what will have been meant: %s', (name, meant) => {
    expect(unreadSettings({ [name]: 's3cret' }, read)).toEqual([
      `${name} is not a setting and was not read: did you mean ${meant}?`,
    ]);
  });

  it('are named where they are the node of a chain without a connector', () => {
    const env = { CHAIN_BITCOIN_RPC_URL: 'http://s3cret', CHAIN_ETHEREUM_RPC_URL: 'http://127.0.0.1' };
    expect(unreadSettings(env, read)).toEqual([
      'CHAIN_BITCOIN_RPC_URL is not used: no connector serves bitcoin. Remove it, or name the plugin that does in PLUGINS.',
    ]);
  });

  it.each([
    'PORT',
    'REDIS_URL',
    'PATH',
    'HOME',
    'POST',
    'SHELL',
    'NODE_OPTIONS',
    'npm_config_cache',
    'HOSTNAME',
    'PGHOST',
  ])('are none of the others: %s', (name) => {
    expect(unreadSettings({ [name]: 'x' }, read)).toEqual([]);
  });

  it('are none that are empty', () => {
    expect(unreadSettings({ REDIS_URI: '' }, read)).toEqual([]);
  });
});
