import { parseArgs, type ParseArgsConfig, styleText } from 'node:util';
import { StartRefusal } from '../../kit/config/start-refusal.js';
import type { Command } from '../operator-command.js';
import { ApiCalls, ApiRefusal } from './api-calls.js';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O & typeof COMMON; allowPositionals: true }>
>['values'];

const COMMON = { url: { type: 'string' }, json: { type: 'boolean' } } as const;
const COMMON_USAGE = `  --url URL     the service, instead of that of "tradepost login" (http://127.0.0.1:3000 without one)
  --json        one JSON value a line, as pipes get it
`;

interface Declaration<O extends Options> {
  /** Such as `book`. */
  readonly name: string;
  readonly summary: string;
  /** The arguments in order, such as `MARKET`; the last one may be left out where it stands in brackets. */
  readonly takes: string;
  /** What it does, what its options mean, and an example. */
  readonly usage: string;
  readonly options: O;
  /** Throws an ApiRefusal, or a StartRefusal for what was typed. */
  run(calls: ApiCalls, taken: readonly string[], values: Values<O>, out: Output): Promise<void>;
}

/** A command that calls a running service, as its client. */
export function customerCommand<const O extends Options>(declared: Declaration<O>): Command {
  const { name, summary, takes, usage, options } = declared;
  return {
    name,
    summary,
    execute: async (args) => {
      if (args.includes('--help')) {
        process.stdout.write(`Usage: tradepost ${name} ${takes} [options]\n\n${usage}${COMMON_USAGE}`);
        return 0;
      }
      const { values, positionals } = read(args, { ...options, ...COMMON }, name);
      const [least, most] = countsOf(takes);
      if (positionals.length < least || positionals.length > most)
        throw new StartRefusal(`Usage: tradepost ${name} ${takes}; see tradepost ${name} --help`);
      const { url, json = false } = values as { readonly url?: string; readonly json?: boolean };
      try {
        const out = new Output(json || !process.stdout.isTTY);
        await declared.run(await ApiCalls.open(url), positionals, values as Values<O>, out);
        return 0;
      } catch (error) {
        if (!(error instanceof ApiRefusal)) throw error;
        process.stderr.write(`${error.message}\n`);
        return 1;
      }
    },
  };
}

/** Text for people in a terminal, JSON for programs in a pipe. */
export class Output {
  constructor(readonly isJson: boolean) {}

  show(value: object, text: () => string): void {
    process.stdout.write(`${this.isJson ? JSON.stringify(value) : text()}\n`);
  }
}

export function sided(side: string, text: string): string {
  return styleText(side === 'buy' ? 'green' : 'red', text);
}

function read(
  args: readonly string[],
  options: Options,
  name: string,
): { readonly values: object; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new StartRefusal(`${(error as Error).message}; see tradepost ${name} --help`, { cause: error });
  }
}

/** The least and the most arguments. */
function countsOf(takes: string): [least: number, most: number] {
  const words = takes.split(' ').filter((word) => word !== '');
  return [words.filter((word) => !word.startsWith('[')).length, words.length];
}
