import { describe, expect, it } from 'vitest';
import { type Attempt, HostileCaller } from '../support/hostile-requests.js';
import { HostileSockets } from '../support/hostile-sockets.js';
import { randomsFrom } from '../support/hostile-values.js';
import { type NamedOperation, operationsOf, readOpenApi } from '../support/openapi.js';
import { inOrder } from '../support/valid-requests.js';
import { showProgress } from '../../src/kit/progress.js';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 50_000);
const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
/** For each request over HTTP so many messages over a socket. */
const MESSAGES_SHARE = 0.1;
const SHARE = 2;
const AT_ONCE = 16;

/**
 * Unlike the hostile input of `npm test`, requests come in random order with several things wrong at once, and in each
 * round with other values, to a service of its own, since many of them remove what others need.
 */
describe(`${REQUESTS} requests with hostile values, from seed ${FIRST_SEED}`, () => {
  it('are all answered, and none by a fault of the service', { timeout: 24 * 3_600_000 }, async () => {
    const document = await readOpenApi();
    const progress = showProgress('fuzz', REQUESTS);
    const counts = { rounds: 0, requests: 0, taken: 0, messages: 0, answered: 0 };
    while (counts.requests < REQUESTS) {
      const seed = FIRST_SEED + counts.rounds++;
      const caller = await HostileCaller.open(document, SHARE, AT_ONCE);
      const sockets = new HostileSockets(caller, randomsFrom(seed));
      expect(sockets.missing).toEqual([]);
      try {
        const complaints = await round(caller, sockets, seed, REQUESTS - counts.requests, (sent) => {
          counts.requests += sent.requests;
          counts.messages += sent.messages;
          progress.update(counts.requests);
        });
        expect(complaints, `FUZZ_SEED=${seed}`).toEqual([]);
        counts.taken += caller.taken;
        counts.answered += sockets.answered;
      } finally {
        sockets.close();
        await caller.close();
      }
    }
    progress.stop();
    process.stderr.write(
      `fuzz: FUZZ_SEED=${FIRST_SEED} ${JSON.stringify(counts)}, none answered by a fault\n`,
    );
    expect(counts.taken).toBeGreaterThan(0);
    expect(counts.answered).toBeGreaterThan(0);
  });
});

interface Sent {
  readonly requests: number;
  readonly messages: number;
}

/** Every operation once, with as many requests as it has things that can be wrong. */
async function round(
  caller: HostileCaller,
  sockets: HostileSockets,
  seed: number,
  requestsMax: number,
  onSent: (sent: Sent) => void,
): Promise<string[]> {
  const random = randomsFrom(seed);
  const operations = operationsOf(await readOpenApi());
  const shuffled = inOrder(
    operations
      .map((one) => [random(), one] as const)
      .sort(byFirst)
      .map(([, one]) => one),
  );
  const complaints: string[] = [];
  let left = requestsMax;
  for (const operation of shuffled) {
    const attempts = caller.attemptsAt(operation, seed).slice(0, left);
    const mixed = attempts.map((attempt) => (random() < 0.5 ? attempt : mix(attempts, random)));
    while (mixed.length > 0) {
      const batch = mixed.splice(0, AT_ONCE);
      const messages = Math.round(batch.length * MESSAGES_SHARE + random() * 0.5);
      const found = await Promise.all([
        ...batch.map((attempt) => complaintOn(caller, operation, attempt)),
        ...Array.from({ length: messages }, () => sockets.sendOne()),
      ]);
      complaints.push(...found.filter((each) => each !== undefined));
      left -= batch.length;
      onSent({ requests: batch.length, messages });
    }
    if (complaints.length > 0 || left === 0) break;
  }
  return complaints;
}

async function complaintOn(
  caller: HostileCaller,
  operation: NamedOperation,
  attempt: Attempt,
): Promise<string | undefined> {
  const complaint = await caller.complaintOn(operation, attempt);
  return complaint && `${operation.name} ${attempt.path}: ${complaint}`;
}

const byFirst = (a: readonly [number, unknown], b: readonly [number, unknown]): number => a[0] - b[0];

/** The address of one attempt with the headers and body of another. */
function mix(attempts: readonly Attempt[], random: () => number): Attempt {
  const one = (): Attempt => attempts[Math.floor(random() * attempts.length)]!;
  const [address, content] = [one(), one()];
  const { body, headers } = content;
  return {
    what: `${address.what} and ${content.what}`,
    path: address.path,
    headers: { ...address.headers, ...headers },
    ...(body !== undefined && { body }),
  };
}
