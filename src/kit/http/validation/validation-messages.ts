import { getMetadataStorage, type ValidationError } from 'class-validator';

/** The rules of numbers, in the order in which their bounds are told. */
const BOUNDS = ['min', 'max'] as const;

/**
 * What is wrong with a field, for people: of one that is missing that alone, and of a number outside of a range both of
 * its bounds. Other rules are worded as declared.
 */
export function messagesOf(error: ValidationError): string[] {
  const { property, constraints = {} } = error;
  const value: unknown = error.value;
  const rules = Object.keys(constraints);
  if (rules.length === 0) return [];
  if (rules.includes('whitelistValidation')) return [`${property} is no field of this request: leave it out`];
  if (value === undefined || value === null) return [`${property} is required`];
  const range = rules.some((rule) => rule === 'min' || rule === 'max') ? rangeOf(error) : undefined;
  if (range === undefined) return Object.values(constraints);
  const others = Object.entries(constraints).filter(([rule]) => rule !== 'min' && rule !== 'max');
  return [...others.map(([, message]) => message), `${property} must be from ${range}`];
}

/** Such as `1 to 500`; undefined where the field has one bound alone, which its message has. */
function rangeOf({ target, property }: ValidationError): string | undefined {
  if (target === undefined) return undefined;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  const [min, max] = BOUNDS.map(
    (name) =>
      metadata.find((rule) => rule.propertyName === property && rule.name === name)?.constraints[0] as
        | number
        | undefined,
  );
  return min === undefined || max === undefined ? undefined : `${min} to ${max}`;
}
