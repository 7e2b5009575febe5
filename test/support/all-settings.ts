import 'reflect-metadata';
import { modulesWith } from '../../src/app.module.js';
import { loadConfig, SETTINGS, type SettingDescription } from '../../src/kit/config/config.js';

/** Those of the service and of its groups. */
export const ALL_SETTINGS: readonly SettingDescription[] = [
  ...SETTINGS,
  ...modulesWith([], loadConfig({})).declaredSettings,
];
