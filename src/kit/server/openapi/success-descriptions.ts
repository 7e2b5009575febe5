import type { Operation, Response } from './operations.js';

/** What an answer is: as declared, else as its type is called, else what was done. */
export function describeSuccess({ summary = 'Done' }: Operation, { description, content }: Response): string {
  if (description !== '') return description;
  const schema = content?.['application/json']?.schema ?? {};
  if ('$ref' in schema) {
    // `DepositedDto` and the like say what was done, and so does the summary.
    if (!schema.$ref.endsWith('edDto')) return `The ${wordsOf(schema.$ref)}.`;
  } else if (schema.items && '$ref' in schema.items) return `A list: each a ${wordsOf(schema.items.$ref)}.`;
  return `Done: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}.`;
}

/** Such as `order with fills` for `#/components/schemas/OrderWithFillsDto`. */
function wordsOf(reference: string): string {
  const name = reference.slice(reference.lastIndexOf('/') + 1).replace(/(?:Dto|Response)$/, '');
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
