const MEANINGFUL = Symbol('fields whose null means something');
/** Marks all fields of a class. */
const ALL = Symbol('all fields');

/**
 * Keeps `null` in an optional field, or in all fields of a class, if it means something other than absent. Otherwise
 * null counts as absent: the default applies, and no handler gets a `null` that its types exclude.
 */
export function NullMeansSomething(): PropertyDecorator & ClassDecorator {
  return (target: object, property?: PropertyKey) => {
    const type = property === undefined ? target : target.constructor;
    const before = (Reflect.getMetadata(MEANINGFUL, type) ?? []) as readonly PropertyKey[];
    Reflect.defineMetadata(MEANINGFUL, [...before, property ?? ALL], type);
  };
}

export function nullMeansSomething(type: object, field: string): boolean {
  const fields = (Reflect.getMetadata(MEANINGFUL, type) ?? []) as readonly PropertyKey[];
  return fields.includes(field) || fields.includes(ALL);
}
