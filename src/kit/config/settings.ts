import type { ReadEnvironment } from './read-environment.js';
import type { Setting } from './setting.js';
import { type DeclaredSettings, readerOf, type SettingContext, type SettingGroup } from './setting-group.js';

/** The values of the settings that groups and plugins declare, read once at the start. */
export class Settings {
  // Private in earnest, so that no log and no inspection shows what may be a secret.
  readonly #values: ReadonlyMap<DeclaredSettings, unknown>;

  /** Throws a ConfigError that names the first wrong setting, and never its value. */
  constructor(declared: readonly DeclaredSettings[], environment: ReadEnvironment, context: SettingContext) {
    const read = readerOf(environment.variables);
    this.#values = new Map(
      declared.map((each) => [each, 'settings' in each ? each.readAll(read, context) : read(each)]),
    );
  }

  /** Throws for a setting that no module lists in its `settings`. */
  get<T>(setting: Setting<T> | SettingGroup<T>): T {
    if (!this.#values.has(setting)) {
      const names = 'settings' in setting ? setting.settings.map(({ name }) => name) : [setting.name];
      throw new Error(`The setting ${names.join(', ')} is not among the "settings" of a group or a plugin.`);
    }
    return this.#values.get(setting) as T;
  }
}
