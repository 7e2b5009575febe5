import { readSettings, type Environment } from './config.js';
import type { Setting } from './setting.js';

/** The values of the settings that plugins declare, read once at the start. */
export class PluginSettings {
  // Private in earnest, so that no log and no inspection shows what may be a secret.
  readonly #values: ReadonlyMap<Setting<unknown>, unknown>;

  /** Throws a ConfigError that names the first wrong setting, and never its value. */
  constructor(settings: readonly Setting<unknown>[], environment?: Environment) {
    this.#values = readSettings(settings, environment);
  }

  get names(): string[] {
    return [...this.#values.keys()].map(({ name }) => name);
  }

  /** Throws for a setting that no plugin lists in its `settings`. */
  get<T>(setting: Setting<T>): T {
    if (!this.#values.has(setting)) {
      throw new Error(`The setting ${setting.name} is not among the "settings" of a plugin.`);
    }
    return this.#values.get(setting) as T;
  }
}
