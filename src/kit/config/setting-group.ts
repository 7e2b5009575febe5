import type { Environment, ReadSetting, Setting } from './setting.js';

type Values<Of> = { readonly [Name in keyof Of]: Of[Name] extends Setting<infer T> ? T : never };

/** How the service runs, where that decides what a setting is by default. */
export interface SettingContext {
  readonly isProduction: boolean;
}

/** Settings that belong together: read at once, so that what must hold among them is checked at the start. */
export interface SettingGroup<T> {
  readonly settings: readonly Setting<unknown>[];
  readonly readAll: (read: ReadSetting, context: SettingContext) => T;
}

/** What a module may list in its `settings`. */
export type DeclaredSettings = Setting<unknown> | SettingGroup<unknown>;

/** `form` makes of the values what the module works with, and throws a ConfigError where they do not fit together. */
export function settingGroup<Of extends Readonly<Record<string, Setting<unknown>>>>(
  settings: Of,
): SettingGroup<Values<Of>>;
export function settingGroup<Of extends Readonly<Record<string, Setting<unknown>>>, T>(
  settings: Of,
  form: (values: Values<Of>, context: SettingContext) => T,
): SettingGroup<T>;
export function settingGroup(
  settings: Readonly<Record<string, Setting<unknown>>>,
  form: (values: Readonly<Record<string, unknown>>, context: SettingContext) => unknown = (values) => values,
): SettingGroup<unknown> {
  return {
    settings: Object.values(settings),
    readAll: (read, context) => {
      const values = Object.entries(settings).map(([name, setting]) => [name, read(setting)]);
      return form(Object.fromEntries(values) as Readonly<Record<string, unknown>>, context);
    },
  };
}

/** All settings of a list, one by one. */
export function singleSettings(declared: readonly DeclaredSettings[]): readonly Setting<unknown>[] {
  return declared.flatMap((each) => ('settings' in each ? each.settings : [each]));
}

export function readerOf(environment: Environment): ReadSetting {
  return (setting) => setting.read(environment[setting.name], environment);
}
