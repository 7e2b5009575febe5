import { DefaultNamingStrategy, type Table } from 'typeorm';

/**
 * The names that PostgreSQL itself gives to constraints, which the migrations rely on. A check is named after the column
 * with which it begins.
 */
export class PostgresNames extends DefaultNamingStrategy {
  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_fkey`;
  }

  override checkConstraintName(table: Table | string, expression: string): string {
    return `${this.getTableName(table)}_${/^\w+/.exec(expression)?.[0] ?? ''}_check`;
  }
}
