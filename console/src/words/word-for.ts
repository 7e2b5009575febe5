/** The word of a group for a name of the service's, such as a reason; the name itself where there is none. */
export function wordFor(group: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(group, name) ? group[name]! : name;
}
