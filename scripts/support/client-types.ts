import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

const HEAD = '/** Made from openapi.json by `npm run client:types`; do not edit. */\n';

/** The generated files of the client, by their names in `packages/client/src/generated`. */
export async function clientTypesOf(document: OpenAPI3): Promise<Record<string, string>> {
  return {
    // What has a default may be left out of a body.
    'openapi.ts': HEAD + astToString(await openapiTS(document, { defaultNonNullable: false })),
    'keyed-operations.ts': keyedOperationsOf(document),
  };
}

/** The operations that take an `Idempotency-Key`, and so may be repeated. */
function keyedOperationsOf({ paths = {} }: OpenAPI3): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) =>
        JSON.stringify(operation).includes('"#/components/parameters/IdempotencyKey"'),
      )
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const lines = operations.map((operation) => `  '${operation}',\n`).join('');
  return `${HEAD}export const KEYED_OPERATIONS: ReadonlySet<string> = new Set([\n${lines}]);\n`;
}
