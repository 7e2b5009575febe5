import { ReadEnvironment } from '../../src/kit/config/read-environment.js';
import type { Environment } from '../../src/kit/config/setting.js';
import type { DeclaredSettings } from '../../src/kit/config/setting-group.js';
import { Settings } from '../../src/kit/config/settings.js';

/** The settings of groups as a service in development reads them. */
export function settingsOf(
  declared: readonly DeclaredSettings[],
  environment: Environment = {},
  isProduction = false,
): Settings {
  return new Settings(declared, new ReadEnvironment(environment), { isProduction });
}
