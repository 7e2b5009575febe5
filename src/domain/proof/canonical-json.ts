/** What JSON can say. Numbers are safe integers here: money and other large ones are text. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/**
 * The one text of a value that everybody gets who follows RFC 8785 (JCS): names in the order of their UTF-16 code
 * units, no spaces. Members that are undefined are left out.
 *
 * @throws RangeError for a number that is no safe integer
 */
export function canonicalJson(value: Json): string {
  if (isInOrder(value)) return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => {
      const member = value[name];
      return member === undefined ? [] : [`${JSON.stringify(name)}:${canonicalJson(member)}`];
    });
  return `{${members.join(',')}}`;
}

/** Whether all names are in their order already, so that the text is what JSON makes of the value, which is faster. */
function isInOrder(value: Json | undefined): boolean {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`${value} is no safe integer`);
  if (value === null || typeof value !== 'object') return value !== undefined;
  if (isList(value)) return value.every(isInOrder);
  let previous = '';
  for (const name of Object.keys(value)) {
    if (name < previous || !isInOrder(value[name])) return false;
    previous = name;
  }
  return true;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
