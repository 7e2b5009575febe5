import type { PoolClient } from 'pg';
import type { Statements } from './transaction.js';

/** What would end the transaction, or outlive it. */
const OF_TRANSACTIONS =
  /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:begin|start\s+transaction|commit|end|rollback|abort|prepare\s+transaction|savepoint|release|set\s+(?!local\b|constraints\b)|listen|unlisten)\b/i;

export interface LoanTerms {
  readonly limitMs: number;
  /** Aborts where the work is to be given up. */
  readonly signal: AbortSignal;
}

/**
 * Lends `work` a transaction that somebody else begins and ends: nothing but statements, one at a time, and none once
 * `work` is over. Work that takes too long fails, and what it still asks for is refused.
 */
export async function lendTransaction<Result>(
  client: PoolClient,
  { limitMs, signal }: LoanTerms,
  work: (transaction: Statements) => Promise<Result>,
): Promise<Result> {
  let end: string | null = null;
  const transaction: Statements = {
    // eslint-disable-next-line typescript/no-unnecessary-type-parameters -- as it is declared
    async query<Row extends object>(statement: string, parameters: unknown[] = []) {
      if (end !== null) throw new Error(`${end}: nothing more can be asked of its transaction`);
      const [ending] = OF_TRANSACTIONS.exec(statement) ?? [];
      if (ending !== undefined)
        throw new Error(`${ending.trim()}: the transaction is begun and ended by the service`);
      // The extended protocol takes one statement alone.
      const query = { text: statement, values: parameters, queryMode: 'extended' };
      const { rows, rowCount } = await client.query<Row & Record<string, unknown>>(query);
      return { rows, rowCount };
    },
  };
  let giveUp: (reason: string) => void = () => undefined;
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = (reason) => {
      end ??= reason;
      reject(new Error(reason));
    };
  });
  const timer = setTimeout(() => giveUp(`it took longer than ${limitMs} ms`), limitMs);
  const stop = (): void => giveUp('the service stops');
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work(transaction), givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    end ??= 'it is over';
  }
}
