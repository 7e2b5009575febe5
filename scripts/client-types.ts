/** `npm run client:types`: makes the types of `@tradepost/client` from openapi.json. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenAPI3 } from 'openapi-typescript';
import { clientTypesOf } from './support/client-types.js';

const document = JSON.parse(await readFile('openapi.json', 'utf8')) as OpenAPI3;
for (const [name, text] of Object.entries(await clientTypesOf(document))) {
  await writeFile(join('packages/client/src/generated', name), text);
}
