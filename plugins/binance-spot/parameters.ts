import {
  BinanceError,
  badCombination,
  illegalCharacters,
  invalidParameter,
  mandatory,
} from './binance-error.js';

const INTEGER_RANGE = /^[0-9]{1,19}$/;
const DECIMAL_RANGE = /^([0-9]{1,20})(\.[0-9]{1,20})?$/;
const SYMBOL_RANGE = /^[A-Z0-9-_.]{1,20}$/;
const SYMBOLS_RANGE = /^\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,1}\]$/;
const SYMBOLS_MAX = 1_000;

/** What a request sends: each name once, none of them empty. */
export class Parameters {
  private constructor(private readonly values: ReadonlyMap<string, string>) {}

  /** Of a query and of a form, each without its question mark. Where both have a name, the query counts. */
  static of(query: string, form = ''): Parameters {
    const values = valuesOf(form);
    for (const [name, value] of valuesOf(query)) values.set(name, value);
    return new Parameters(values);
  }

  /** Of a message of a WebSocket. */
  static ofMessage(values: Readonly<Record<string, unknown>>): Parameters {
    const entries = Object.entries(values).map(([name, value]): [string, string] => {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
        throw invalidParameter(name);
      }
      return [name, String(value)];
    });
    return new Parameters(new Map(entries));
  }

  get names(): readonly string[] {
    return [...this.values.keys()];
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** The names and values in the order of their names, as messages of a WebSocket sign them. */
  sorted(): [name: string, value: string][] {
    return [...this.values].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  text(name: string): string | undefined {
    return this.values.get(name);
  }

  /** A whole number from 0 on. */
  integer(name: string): number | undefined {
    const text = this.matching(name, INTEGER_RANGE);
    if (text === undefined) return undefined;
    if (!Number.isSafeInteger(Number(text))) {
      throw new BinanceError(-1108, `Parameter '${name}' overflowed.`);
    }
    return Number(text);
  }

  /** How many are asked for: a number above the maximum counts as the maximum. */
  limit(fallback: number, most: number): number {
    const limit = this.integer('limit') ?? fallback;
    if (limit === 0) throw invalidParameter('limit');
    return Math.min(limit, most);
  }

  /** A number without sign and exponent, as it was sent. */
  decimal(name: string): string | undefined {
    return this.matching(name, DECIMAL_RANGE);
  }

  boolean(name: string): boolean | undefined {
    const text = this.values.get(name)?.toLowerCase();
    if (text === undefined) return undefined;
    if (text !== 'true' && text !== 'false') throw invalidParameter(name);
    return text === 'true';
  }

  /** One of the choices, or the error. */
  oneOf<const T extends string>(
    name: string,
    choices: readonly T[],
    error: () => BinanceError,
  ): T | undefined {
    const text = this.values.get(name);
    if (text === undefined) return undefined;
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw error();
    return found;
  }

  symbol(): string {
    const symbol = this.optionalSymbol();
    if (symbol === undefined) throw mandatory('symbol');
    return symbol;
  }

  optionalSymbol(): string | undefined {
    return this.matching('symbol', SYMBOL_RANGE);
  }

  /** Those of `symbol` or `symbols`; undefined where neither was sent. */
  symbols(): readonly string[] | undefined {
    const symbol = this.optionalSymbol();
    const list = this.matching('symbols', SYMBOLS_RANGE);
    if (symbol !== undefined && list !== undefined) throw badCombination();
    if (list === undefined) return symbol === undefined ? undefined : [symbol];
    const symbols = JSON.parse(list) as string[];
    if (symbols.length === 0 || symbols.length > SYMBOLS_MAX) throw invalidParameter('symbols');
    if (new Set(symbols).size < symbols.length) {
      throw new BinanceError(-1151, 'Symbol is present multiple times in the list.');
    }
    return symbols;
  }

  private matching(name: string, range: RegExp): string | undefined {
    const text = this.values.get(name);
    if (text !== undefined && !range.test(text)) throw illegalCharacters(name, range.source);
    return text;
  }
}

function valuesOf(text: string): Map<string, string> {
  const values = new Map<string, string>();
  if (text === '') return values;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decoded(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decoded(pair.slice(at + 1));
    if (values.has(name)) throw new BinanceError(-1101, 'Duplicate values for a parameter detected.');
    if (value === '') throw new BinanceError(-1105, `Parameter '${name}' was empty.`);
    values.set(name, value);
  }
  return values;
}

function decoded(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new BinanceError(-1100, 'Illegal characters found in a parameter.');
  }
}
