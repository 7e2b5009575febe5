import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FieldCatalogue } from '../../fields/field-catalogue.js';
import type { DeclaredField } from '../../fields/field-declaration.js';
import { fieldMarkOf, fieldMarks } from '../../fields/field-marks.js';
import { CSV_COLUMNS, csvFormatOf } from '../../http/csv/csv-rows.js';
import type { DescribedRoute } from './operations.js';
import type { Node } from './schemas.js';

/** The fields that plugins have declared, in the schemas of the DTOs that take or show them. */
export function describeFields(document: Pick<OpenAPIObject, 'components'>, catalogue: FieldCatalogue): void {
  for (const [{ name: schemaName }, mark] of fieldMarks()) {
    const schema = document.components?.schemas?.[schemaName] as Node | undefined;
    if (schema === undefined || mark.use === 'filter') continue;
    const isAnswer = mark.use === 'answer';
    // A schema is shared by routes of customers and of operators, who see more.
    for (const field of catalogue.fieldsOf(isAnswer ? { ...mark, reader: 'operators' } : mark)) {
      const properties = (schema['properties'] ??= {}) as Record<string, Node>;
      properties[field.name] = schemaOf(field, { isNullable: true, isAnswer });
      const required = (schema['required'] ?? []) as string[];
      if (isAnswer && field.readableBy === 'owner') schema['required'] = [...required, field.name];
    }
  }
}

/** The same of queries and of the columns of lists, which only their routes know. */
export function describeFieldsOfRoutes(routes: readonly DescribedRoute[], catalogue: FieldCatalogue): void {
  for (const { controller, handler, operation } of routes) {
    const prototype = (controller as Type).prototype as object;
    const types = (Reflect.getMetadata('design:paramtypes', prototype, handler.name) ?? []) as Type[];
    for (const type of types) {
      const mark = fieldMarkOf(type);
      if (mark?.use !== 'filter') continue;
      for (const field of catalogue.fieldsOf(mark)) {
        const { description, ...schema } = schemaOf(field, { isNullable: false, isAnswer: false });
        (operation.parameters ??= []).push({
          name: field.name,
          in: 'query',
          required: false,
          description: description as string,
          schema,
        });
      }
    }
    const fields = csvFormatOf(handler)?.fields;
    const columns = operation as { [CSV_COLUMNS]?: readonly string[] };
    if (fields !== undefined && columns[CSV_COLUMNS] !== undefined)
      columns[CSV_COLUMNS] = [...columns[CSV_COLUMNS], ...catalogue.readable(fields).map(({ name }) => name)];
  }
}

function schemaOf(
  { type, plugin, description, readableBy }: DeclaredField,
  { isNullable, isAnswer }: { readonly isNullable: boolean; readonly isAnswer: boolean },
): Node {
  const { type: jsonType, enum: choices, ...schema } = type.schema;
  const forOperators = isAnswer && readableBy === 'operators' ? ' Shown to operators alone.' : '';
  return {
    type: isNullable ? [jsonType, 'null'] : jsonType,
    ...(choices !== undefined && { enum: isNullable ? [...(choices as string[]), null] : choices }),
    ...schema,
    description: `${description ?? `A field of the plugin ${plugin}.`}${forOperators}`,
  };
}
