/** What declared fields may hold; decimals and times are texts. */
export type FieldValue = string | number | boolean;

/** Values of declared fields, in the order of their names; fields without a value are left out. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** Values that replace those before; null removes one. What is not named stays. */
export type FieldChanges = Readonly<Record<string, FieldValue | null>>;

/** Always in the order of the names, so that the same values have the same bytes, however they came together. */
export function changedFields(before: FieldValues | null, changes: FieldChanges): FieldValues {
  const all = Object.entries<FieldValue | null>({ ...before, ...changes });
  const given = all.filter((field): field is [string, FieldValue] => field[1] !== null);
  return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
}
