import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileCaller } from '../../support/hostile-requests.js';
import { operationsOf, readOpenApi } from '../../support/openapi.js';
import { rounds } from '../../support/rounds.js';
import { inOrder } from '../../support/valid-requests.js';

/**
 * Another seed, as in `HOSTILE_SEED=7 npx vitest run test/e2e/kit/hostile-input.spec.ts`, sends other extremes.
 */
const SEED = Number(process.env['HOSTILE_SEED'] ?? 1);
/** How many of the wrong types each field gets, and how many of the extremes; all of them where there is time. */
const SHARE = rounds('HOSTILE_SHARE', 2, 1_000);
const AT_ONCE = 16;
const COMPLAINTS_MAX = 20;

const document = await readOpenApi();

/**
 * For every operation of the document and each of its fields: null, wrong types, extremes and no value, by an
 * authorised caller. Nothing may fail, and every accepted request must be answered as documented.
 */
describe(`hostile input, by seed ${SEED}`, () => {
  let caller: HostileCaller;
  beforeAll(async () => {
    caller = await HostileCaller.open(document, SHARE, AT_ONCE);
  });
  afterAll(() => caller.close());

  const operations = inOrder(operationsOf(document));

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_name, operation) => {
      const complaints: string[] = [];
      const attempts = caller.attemptsAt(operation, SEED);
      while (attempts.length > 0) {
        const found = await Promise.all(
          attempts.splice(0, AT_ONCE).map((attempt) => caller.complaintOn(operation, attempt)),
        );
        complaints.push(...found.filter((each) => each !== undefined));
      }
      expect(complaints.slice(0, COMPLAINTS_MAX)).toEqual([]);
    },
    120_000,
  );

  it('was not all refused', () => {
    expect(caller.taken).toBeGreaterThan(operations.length);
  });
});
