import { text, type Reader } from './readers.js';
import { readSecret } from './secret-file.js';
import { ConfigError } from './start-refusal.js';

/** A row of docs/settings.md. */
export interface SettingDescription {
  readonly name: string;
  /** The default as shown in the table. */
  readonly default: string;
  readonly meaning: string;
}

/** Where settings are read from. */
export type Environment = NodeJS.ProcessEnv;

export interface Setting<T> extends SettingDescription {
  /** The value for the variable's text; an absent or empty variable takes the default. */
  readonly read: (raw: string | undefined, environment: Environment) => T;
  /** Of a setting that is several variables: their names. */
  readonly pattern?: RegExp;
}

/** Reads a setting from the environment that is loaded. Throws `ConfigError`. */
export type ReadSetting = <T>(setting: Setting<T>) => T;

/** A setting with a default that is itself a value of it. */
export function setting<T>(name: string, reader: Reader<T>, fallback: string, meaning: string): Setting<T> {
  return { name, default: fallback, meaning, read: (raw) => parse(name, reader, raw || fallback) };
}

/** An optional setting; `whenUnset` describes the behaviour without it. */
export function optional<T>(
  name: string,
  reader: Reader<T>,
  whenUnset: string,
  meaning: string,
): Setting<T | undefined> {
  return { name, default: whenUnset, meaning, read: (raw) => (raw ? parse(name, reader, raw) : undefined) };
}

/** An optional secret, as text in `name` or in a file that `<name>_FILE` names. */
export function secret(name: string, whenUnset: string, meaning: string): Setting<string | undefined> {
  const file = `${name}_FILE`;
  return {
    name,
    default: whenUnset,
    meaning: `${meaning} Or its file, in ${file}.`,
    pattern: new RegExp(`^${file}$`),
    read: (raw, environment) => {
      const path = environment[file];
      if (!path) return raw || undefined;
      if (raw) throw new ConfigError(file, `must not be set together with ${name}.`);
      return readSecret(file, path);
    },
  };
}

/**
 * A setting with a variable for each of several things: `name` has `<NAME>` where a variable has the thing's name in
 * capitals. The value has the names in lower case.
 */
export function settingForEach<T>(
  name: string,
  readerFor: (thing: string) => Reader<T>,
  meaning: string,
): Setting<Readonly<Record<string, T>>> {
  const pattern = new RegExp(`^${name.replace('<NAME>', '([A-Z0-9_]+)')}$`);
  return {
    name,
    default: 'none',
    meaning,
    pattern,
    read: (_raw, environment) =>
      Object.fromEntries(
        Object.entries(environment).flatMap(([variable, raw]) => {
          const thing = pattern.exec(variable)?.[1]?.toLowerCase();
          return thing === undefined || !raw ? [] : [[thing, parse(variable, readerFor(thing), raw)]];
        }),
      ),
  };
}

function parse<T>(name: string, reader: Reader<T>, raw: string): T {
  const value = reader.parse(raw);
  // The message omits the value: it may be a secret in the wrong variable.
  if (value === undefined) throw new ConfigError(name, `must be ${reader.expects}.`);
  return value;
}

export const anyText = text('text', /./s);
export const filePath = text('the path of a file', /^[^\0]+$/);
