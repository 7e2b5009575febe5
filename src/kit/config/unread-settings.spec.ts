import { describe, expect, it } from 'vitest';
import { SETTINGS } from './config.js';
import { integer } from './readers.js';
import { setting, settingForEach } from './setting.js';
import { unreadVariables } from './unread-settings.js';

const perDesk = settingForEach('DESK_<NAME>_LIMIT', () => integer(1, 9), 'A limit.');
const read = [...SETTINGS, setting('DESK_LIMIT', integer(1, 9), '1', 'A limit.'), perDesk];

describe('variables that nothing reads', () => {
  it.each([
    ['REDIS_URI', 'REDIS_URL'],
    ['RATE_LIMIT', 'RATE_LIMITS'],
    ['KEYSTORE_PASPHRASE_FILE', 'KEYSTORE_PASSPHRASE_FILE'],
    ['DESK_LIMITS', 'DESK_LIMIT'],
  ])('are named with what will have been meant: %s', (name, meant) => {
    expect(unreadVariables({ [name]: 's3cret' }, read)).toEqual([
      `${name} is not a setting and was not read: did you mean ${meant}?`,
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
    'DESK_NORTH_LIMIT',
  ])('are none of the others: %s', (name) => {
    expect(unreadVariables({ [name]: 'x' }, read)).toEqual([]);
  });

  it('are none that are empty', () => {
    expect(unreadVariables({ REDIS_URI: '' }, read)).toEqual([]);
  });
});
