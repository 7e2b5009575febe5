import type { OpenAPIObject } from '@nestjs/swagger';
import { carriedReceiptOf, RECEIPT } from '../../http/receipts/carried-receipt.js';
import type { DescribedRoute } from './operations.js';
import { type Node, nodesWithin } from './schemas.js';

const SCHEMAS = '#/components/schemas/';

/** What the routes of receipts answer. */
const RECEIPT_SCHEMA = `${SCHEMAS}ReceiptDto`;

/**
 * Documents answers that may carry a receipt: each of their schemas has a copy with one more member, since elsewhere
 * the same schema carries none. Those that stand nowhere else go.
 */
export function describeReceipts(document: OpenAPIObject, routes: readonly DescribedRoute[]): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Node>;
  const carrying = new Set<string>();
  for (const { operation, handler } of routes) {
    if (carriedReceiptOf(handler) === undefined) continue;
    for (const [status, response] of Object.entries(operation.responses)) {
      if (response === undefined || '$ref' in response || !(Number(status) < 400)) continue;
      const media = response.content?.['application/json'];
      const name = nameIn(media?.schema);
      if (media === undefined || name === undefined) continue;
      schemas[`Receipted${name}`] ??= withReceipt(schemas[name]!);
      media.schema = { $ref: `${SCHEMAS}Receipted${name}` };
      carrying.add(name);
    }
  }
  const used = new Set(nodesWithin(document).map(nameIn));
  const isLeft = (name: string): boolean => used.has(name) || !carrying.has(name);
  document.components = {
    ...document.components,
    schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => isLeft(name))),
  };
}

function withReceipt(schema: Node): Node {
  const { properties, ...others } = structuredClone(schema);
  const receipt: Node = {
    $ref: RECEIPT_SCHEMA,
    description: 'Where the request had `Prefer: receipt`, and the answer has `Preference-Applied: receipt`.',
  };
  return { ...others, properties: { ...(properties as Node), [RECEIPT]: receipt } };
}

/** The schema that is referred to. */
function nameIn(schema: object | undefined): string | undefined {
  const reference = (schema as Node | undefined)?.['$ref'];
  return typeof reference === 'string' && reference.startsWith(SCHEMAS)
    ? reference.slice(SCHEMAS.length)
    : undefined;
}
