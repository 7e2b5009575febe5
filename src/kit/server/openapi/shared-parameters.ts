import type { OpenAPIObject } from '@nestjs/swagger';
import { METHODS, type Operation } from './operations.js';

type Parameters = NonNullable<Operation['parameters']>;

/**
 * Parameters that two operations have in the same words become components, named after the parameter. Where the same
 * name means something else elsewhere, the parameter of a path or the more frequent one has the plain name, and a filter
 * is called one; what is left stays where it is.
 */
export function shareParameters(document: OpenAPIObject): void {
  const uses = new Map<string, { readonly parameters: Parameters; readonly at: number }[]>();
  for (const item of [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})]) {
    for (const method of METHODS) {
      const parameters = item[method]?.parameters ?? [];
      for (const [at, parameter] of parameters.entries()) {
        const text = JSON.stringify(parameter);
        uses.set(text, [...(uses.get(text) ?? []), { parameters, at }]);
      }
    }
  }
  const shared: Record<string, Exclude<Parameters[number], { $ref: string }>> = {};
  const byUse = [...uses.values()].filter(({ length }) => length > 1).sort((a, b) => b.length - a.length);
  for (const places of byUse) {
    const [{ parameters, at }] = places as [(typeof places)[number]];
    const parameter = parameters[at];
    if (parameter === undefined || '$ref' in parameter) continue;
    const plain = pascalCase(parameter.name);
    const name = [plain, ...(parameter.in === 'query' ? [`${plain}Filter`] : [])].find(
      (each) => !(each in shared),
    );
    if (name === undefined) continue;
    shared[name] = parameter;
    for (const place of places) place.parameters[place.at] = { $ref: `#/components/parameters/${name}` };
  }
  document.components = { ...document.components, parameters: sorted(shared) };
}

function pascalCase(name: string): string {
  return name
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
