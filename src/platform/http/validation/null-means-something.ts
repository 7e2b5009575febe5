const MEANINGFUL = Symbol('fields whose null means something');
/** Stands for every field of a class. */
const ALL = Symbol('all fields');

/**
 * Keeps `null` in an optional field, or in all those of a class, where it says something else than nothing. Elsewhere
 * it is as though the field had been left out: a default is taken, and no handler meets a `null` that its types do
 * not know.
 */
export function NullMeansSomething(): PropertyDecorator & ClassDecorator {
  return (target: object, property: PropertyKey = ALL) => {
    const type = property === ALL ? target : target.constructor;
    const before = (Reflect.getMetadata(MEANINGFUL, type) ?? []) as readonly PropertyKey[];
    Reflect.defineMetadata(MEANINGFUL, [...before, property], type);
  };
}

export function nullMeansSomething(type: object, field: string): boolean {
  const fields = (Reflect.getMetadata(MEANINGFUL, type) ?? []) as readonly PropertyKey[];
  return fields.includes(field) || fields.includes(ALL);
}
