import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { reasonOf } from './existing-database.js';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

interface Declaration<O extends Options> {
  /** Such as `journal verify`. */
  readonly name: string;
  /** What it does, in half a line. */
  readonly summary: string;
  /** After `Usage: tradepost NAME`: the arguments, and what they mean. */
  readonly usage: string;
  readonly options: O;
  /** What could not be done where `run` throws, such as `The journal could not be verified`. */
  readonly failure: string;
  /** The thing that a database on which the service has never run lacks, such as `journal`. */
  readonly needs: string;
  /** The exit code: 0 where all is well, 1 where something differs. */
  run(values: Values<O>): Promise<number>;
  /** The exit code where `run` throws; 2 where it is left out: nothing could be found out. */
  readonly exitCodeOf?: (error: unknown) => number;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Returns the exit code; it reports all failures itself. */
  execute(args: readonly string[]): Promise<number>;
}

/**
 * A command that works on the service's database, by the settings of the environment: that of `DATABASE_URL`, or the
 * embedded one of `DATA_DIR`, whether the service runs or not.
 */
export function operatorCommand<const O extends Options>(declared: Declaration<O>): Command {
  const { name, summary, usage, failure, needs, exitCodeOf = () => 2 } = declared;
  return {
    name,
    summary,
    execute: async (args) => {
      if (args.includes('--help')) {
        process.stdout.write(`Usage: tradepost ${name} ${usage}`);
        return 0;
      }
      try {
        return await declared.run(valuesOf(args, declared.options, name));
      } catch (error) {
        process.stderr.write(`${failure}: ${reasonOf(error, needs)}\n`);
        return exitCodeOf(error);
      }
    },
  };
}

function valuesOf<O extends Options>(args: readonly string[], options: O, name: string): Values<O> {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new StartRefusal(`${(error as Error).message}; see tradepost ${name} --help`, { cause: error });
  }
}
