import { Entity } from 'typeorm';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Amount } from '../../domain/money/amount.js';
import { column, key } from './columns.js';
import { columnsExcept, columnsOf, type RowOf } from './rows.js';

@Entity('rows_spec_parcels')
class ParcelEntity {
  @key.identity() readonly parcelId: string;
  @column.text() sentBy: string;
  @column.amount({ nullable: true }) feePaid: Amount | null;
  @column.text({ nullable: true }) secretNote: string | null;
}

describe('the columns of a statement', () => {
  it('are those that are named, of the alias, in their order', () => {
    expect(columnsOf(ParcelEntity, 'feePaid', 'parcelId').of('p')).toBe('p.fee_paid, p.parcel_id');
  });

  it('are all but those that are named, in the order of the entity', () => {
    const listed = columnsExcept(ParcelEntity, 'secretNote');
    expect(listed.of('parcel')).toBe('parcel.parcel_id, parcel.sent_by, parcel.fee_paid');
    expectTypeOf<RowOf<typeof listed>>().toEqualTypeOf<{
      readonly parcel_id: string;
      readonly sent_by: string;
      readonly fee_paid: string | null;
    }>();
  });
});
