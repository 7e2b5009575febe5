/** Lists as CSV: which routes answer them, and with which columns. */
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import type { FieldsOf } from '../fielded.js';

const CSV_FORMAT = 'csv-format';
/** The extension of the document that names the columns. */
export const CSV_COLUMNS = 'x-csv-columns';

/** A member of a row, or with a dot a member of a member. */
export type CsvColumn<Row> = (keyof Row & string) | `${keyof Row & string}.${string}`;

/** How the answers of a route become rows. */
export interface CsvFormat {
  /** In their order; the names are the header. */
  readonly columns: readonly string[];
  /** The member of the answer that lists the rows. */
  readonly rows: string;
  /** The last columns: fields that plugins have declared. */
  readonly fields?: FieldsOf;
}

/** Makes rows of the answers of a route; bound by the server. */
export abstract class CsvForms {
  /** The list in the format that the caller prefers. */
  abstract inFormat(
    format: CsvFormat,
    request: Request,
    response: Response,
    next: CallHandler,
  ): Observable<unknown>;
}

/** Only of routes that have rows: an interceptor costs every request. */
@Injectable()
class CsvInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    @Inject(CsvForms) private readonly forms: CsvForms,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const format = this.reflector.get<CsvFormat>(CSV_FORMAT, context.getHandler());
    return this.forms.inFormat(format, http.getRequest<Request>(), http.getResponse<Response>(), next);
  }
}

/** A list route that answers `Accept: text/csv`, too: with all rows of its filter instead of a page. */
export function CsvRows(
  columns: CsvFormat['columns'],
  { rows = 'data', ...more }: Partial<Omit<CsvFormat, 'columns'>> = {},
): MethodDecorator {
  const format: CsvFormat = { columns, rows, ...more };
  return applyDecorators(
    SetMetadata(CSV_FORMAT, format),
    UseInterceptors(CsvInterceptor),
    ApiExtension(CSV_COLUMNS, columns),
  );
}

/** The format of a handler that answers rows. */
export function csvFormatOf(handler: object): CsvFormat | undefined {
  return Reflect.getMetadata(CSV_FORMAT, handler) as CsvFormat | undefined;
}
