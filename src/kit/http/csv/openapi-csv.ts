import type { OpenAPIObject } from '@nestjs/swagger';
import { CSV_COLUMNS } from './csv-rows.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Documents a route with `CsvRows`: its success is a list as JSON, or all of it as CSV. */
export function describeCsv(operation: Operation): void {
  const columns = (operation as { readonly [CSV_COLUMNS]?: readonly string[] })[CSV_COLUMNS];
  const success = operation.responses['200'];
  if (columns === undefined || success === undefined || '$ref' in success) return;
  success.content = {
    ...success.content,
    'text/csv': {
      schema: {
        type: 'string',
        description: `All rows of the filter, without pages. The header is ${columns.join(',')}.`,
      },
    },
  };
}
