import { isIP } from 'node:net';
import { type Amount, parseAmount } from '../../domain/money/amount.js';

/** Turns the text of one setting into its value; `undefined` means that the text is not allowed. */
export interface Reader<T> {
  /** The allowed values, as the end of the sentence "PORT must be …". */
  readonly expects: string;
  readonly parse: (text: string) => T | undefined;
}

export function oneOf<const T extends string>(...choices: readonly T[]): Reader<T> {
  return {
    expects: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((choice) => choice === text),
  };
}

export const bool: Reader<boolean> = {
  expects: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

export function integer(least: number, most: number): Reader<number> {
  return {
    expects: `a whole number from ${least} to ${most}`,
    parse: (text) => {
      if (!/^(0|[1-9]\d{0,9})$/.test(text)) return undefined;
      const value = Number(text);
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** A number of days, for how long things are kept. */
export function days(least: number): Reader<number> {
  return integer(least, 36_500);
}

export function text(expects: string, pattern: RegExp): Reader<string> {
  return { expects, parse: (value) => (pattern.test(value) ? value : undefined) };
}

/** An IP address or a host name. */
export const host: Reader<string> = {
  expects: 'an IP address or a host name, such as 127.0.0.1 or 0.0.0.0',
  parse: (value) => {
    if (isIP(value) !== 0) return value;
    // Text of digits and dots that is not an IP address is a mistyped address, not a name.
    if (/^[\d.]+$/.test(value)) return undefined;
    return /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/.test(
      value,
    )
      ? value
      : undefined;
  },
};

/** An absolute address of one of the protocols, without a trailing slash, query or fragment. */
export function baseUrl(...protocols: readonly string[]): Reader<string> {
  return {
    expects: `an address such as ${protocols[0]}://example.com, without query or fragment`,
    parse: (value) => {
      const url = parseUrl(value, protocols);
      if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '') return undefined;
      return url.href.replace(/\/+$/, '');
    },
  };
}

export function url(...protocols: readonly string[]): Reader<string> {
  return {
    expects: `an address that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    parse: (value) => parseUrl(value, protocols)?.href,
  };
}

/** Host and port, perhaps a user and a password, perhaps the number of a database. */
export const redisUrl: Reader<string> = {
  expects: 'an address such as redis://user:password@host:6379/0, or rediss:// for TLS',
  parse: (value) => {
    const url = parseUrl(value, ['redis', 'rediss']);
    if (url === undefined || url.search !== '' || url.hash !== '') return undefined;
    if (!/^(\/\d{0,4})?$/.test(url.pathname)) return undefined;
    return isUriEncoded(url.username) && isUriEncoded(url.password) ? value : undefined;
  },
};

/** A browser's origin: scheme, host and port alone. */
export const origin: Reader<string> = {
  expects: 'an origin such as https://app.example.com, without a path',
  parse: (value) => {
    const url = parseUrl(value, ['https', 'http']);
    return url !== undefined && (value === url.origin || value === `${url.origin}/`) ? url.origin : undefined;
  },
};

/** An asset's code and an amount of it, such as `ETH:0.5`. */
export const assetAmount: Reader<readonly [asset: string, amount: Amount]> = {
  expects: 'an asset and an amount of it, such as ETH:0.5',
  parse: (value) => {
    const [, asset, text] = /^([A-Z0-9]{1,16}):(.+)$/.exec(value) ?? [];
    const units = text === undefined ? undefined : parseAmount(text);
    return asset === undefined || units === undefined ? undefined : [asset, units];
  },
};

/** Items separated by commas; spaces around them do not matter. */
export function listOf<T>(item: Reader<T>, itemsMost: number): Reader<readonly T[]> {
  return {
    expects: `a list, separated by commas, of at most ${itemsMost} times ${item.expects}`,
    parse: (value) => {
      const values = value.split(',').map((part) => item.parse(part.trim()));
      if (values.length > itemsMost) return undefined;
      return values.every((one) => one !== undefined) ? values : undefined;
    },
  };
}

export function isUriEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function parseUrl(value: string, protocols: readonly string[]): URL | undefined {
  const parsed = URL.parse(value);
  return parsed !== null && parsed.hostname !== '' && protocols.includes(parsed.protocol.slice(0, -1))
    ? parsed
    : undefined;
}
