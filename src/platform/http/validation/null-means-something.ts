const MEANINGFUL = Symbol('fields whose null means something');

/**
 * Keeps `null` in an optional field, where it says something else than nothing. Elsewhere it is as though the field
 * had been left out: a default is taken, and no handler meets a `null` that its types do not know.
 */
export function NullMeansSomething(): PropertyDecorator {
  return (target, property) => {
    const { constructor } = target;
    const before = (Reflect.getMetadata(MEANINGFUL, constructor) ?? []) as readonly PropertyKey[];
    Reflect.defineMetadata(MEANINGFUL, [...before, property], constructor);
  };
}

export function nullMeansSomething(type: object, field: string): boolean {
  return ((Reflect.getMetadata(MEANINGFUL, type) ?? []) as readonly PropertyKey[]).includes(field);
}
