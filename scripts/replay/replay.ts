/**
 * `npm run replay -- [FILE]`: sends a recorded order flow, or a synthetic one, through the HTTP API and
 * reports what came out. Exit code 1 where the books do not balance or the replay broke off.
 */
import { parseArgs } from 'node:util';
import { ApiClient, UnexpectedAnswer } from '../support/api-client.js';
import { Interruption, interrupted } from '../../src/kit/interruption.js';
import { showProgress } from '../../src/kit/progress.js';
import { ServiceProcess } from '../../src/testing/service-process.js';
import { readFlow } from './read-flow.js';
import { FlowFormatError, type RecordedFlow } from './recorded-flow.js';
import { replayFlow } from './replay-flow.js';
import { describeReport } from './report.js';
import { synthesizeFlow } from './synthetic-flow.js';

const USAGE = `Usage: npm run replay -- [FILE] [options]

Sends a recorded order flow through the HTTP API, in a market of its own, and compares the outcome with
the recording. FILE is a recording of Bitstamp's order stream, plain or .gz; without it, a synthetic flow.

  --url URL         a service that runs; without it, one is started for the replay and removed again
  --buyer ID:SECRET     client that places the bids      (demo:demo-secret)
  --seller ID:SECRET    client that places the offers    (maker:maker-secret)
  --operator ID:SECRET  client with scope admin          (admin:admin-secret)
  --seed N          seed of the synthetic flow           (1)
  --orders N        orders of the synthetic flow         (20000)
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      buyer: { type: 'string', default: 'demo:demo-secret' },
      seller: { type: 'string', default: 'maker:maker-secret' },
      operator: { type: 'string', default: 'admin:admin-secret' },
      seed: { type: 'string', default: '1' },
      orders: { type: 'string', default: '20000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const [path] = positionals;
  const flow =
    path === undefined
      ? synthesizeFlow({
          seed: wholeNumber('seed', values.seed),
          orders: wholeNumber('orders', values.orders),
        })
      : await readFlow(path);
  const { buyer, seller, operator } = values;

  const service = values.url === undefined ? await ServiceProcess.start() : undefined;
  try {
    await Promise.race([run(flow, values.url ?? service!.url, { buyer, seller, operator }), interrupted()]);
  } finally {
    await service?.stop();
  }
}

async function run(
  flow: RecordedFlow,
  url: string,
  credentials: { buyer: string; seller: string; operator: string },
): Promise<void> {
  const client = new ApiClient(url);
  const progress = showProgress(`Replaying ${flow.name}`, flow.events.length);
  try {
    const report = await replayFlow(flow, {
      client,
      credentials,
      onProgress: (events) => progress.update(events),
    });
    progress.stop();
    process.stdout.write(describeReport(report));
    if (!report.ledger.balanced) process.exitCode = 1;
  } finally {
    progress.stop();
    client.close();
  }
}

/** Throws a UsageError where the text is no whole number from 1 on. */
function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new UsageError(`--${option} must be a whole number from 1 on.`);
  }
  return number;
}

class UsageError extends Error {}

try {
  await main();
} catch (error) {
  const isExpected =
    error instanceof UnexpectedAnswer ||
    error instanceof FlowFormatError ||
    error instanceof Interruption ||
    error instanceof UsageError ||
    (error instanceof Error && 'code' in error);
  process.stderr.write(`${isExpected ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = 1;
}
