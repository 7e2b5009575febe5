/**
 * `npm run openapi:examples`: runs the end-to-end tests, and keeps what the service answered as the examples of
 * openapi.json. Examples that are still right and tell as much stay as they are. With paths of specs it runs only those:
 * `npm run openapi:examples -- test/e2e/chat`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { RESPONSE_EXAMPLES } from '../src/openapi/generated/response-examples.js';
import { examplesIn, RECORD_FOLDER, type Examples } from './support/recorded-answers.js';

const FILE = 'src/openapi/generated/response-examples.ts';

const specs = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'tradepost-answers-'));
try {
  const tests = spawn('npx', ['vitest', 'run', ...(specs.length > 0 ? specs : ['test/e2e'])], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, [RECORD_FOLDER]: folder },
  });
  const [code] = (await once(tests, 'close')) as [number | null];
  if (code !== 0) process.stderr.write('Some tests failed; their answers were recorded all the same.\n');
  const examples = await declaredOf(examplesIn(folder));
  await writeFile(FILE, sourceOf(examples));
  process.stdout.write(
    `${FILE}: examples of ${Object.keys(examples).length} operations. Now run "npm run openapi".\n`,
  );
} finally {
  await rm(folder, { recursive: true });
}

/** The recorded ones, and the known ones of all other answers that the document still has. */
async function declaredOf(recorded: Examples): Promise<Examples> {
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as OpenAPIObject;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, { readonly responses: object }>).map(
      ([method, { responses }]) => [`${method.toUpperCase()} ${path}`, Object.keys(responses)] as const,
    ),
  );
  const examples = operations.map(([operation, statuses]) => {
    const all = { ...RESPONSE_EXAMPLES[operation], ...recorded[operation] };
    return [
      operation,
      Object.fromEntries(Object.entries(all).filter(([status]) => statuses.includes(status))),
    ] as const;
  });
  return Object.fromEntries(examples.filter(([, answers]) => Object.keys(answers).length > 0));
}

function sourceOf(examples: Examples): string {
  const sorted = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `/** Made by "npm run openapi:examples" from what the service answers in its tests. Do not edit. */
export const RESPONSE_EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = ${JSON.stringify(sorted, null, 2)};
`;
}
