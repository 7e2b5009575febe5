import type { Type } from '@nestjs/common';
import { StartRefusal } from '../config/start-refusal.js';
import { groupsBelow } from './module-classes.js';
import { declarationOf } from './tradepost-module.js';

export interface ServiceModules {
  /** In the order in which they are started. Those without a declaration are parts of the groups that they import. */
  readonly modules: readonly Type[];
  /** Groups that every service has. */
  readonly always: readonly Type[];
}

/** The modules of the groups that `GROUPS` names, all where it names none. Throws a StartRefusal that says what to mend. */
export function chosenModules(
  { modules, always }: ServiceModules,
  names: readonly string[] | undefined,
): readonly Type[] {
  if (names === undefined) return modules;
  const groups = modules.filter((module) => declarationOf(module) !== undefined);
  const unknown = names.find((name) => !groups.some((group) => nameOf(group) === name));
  if (unknown !== undefined) {
    const choices = groups.filter((group) => !always.includes(group)).map(nameOf);
    throw new StartRefusal(`GROUPS: there is no group "${unknown}"; there are ${choices.join(', ')}.`);
  }
  const chosen = groups.filter((group) => always.includes(group) || names.includes(nameOf(group)));
  const isThere = (group: Type): boolean => chosen.includes(group);
  for (const group of chosen) {
    const missing = groups.filter((other) => groupsBelow(group).has(other) && !isThere(other));
    if (missing.length > 0)
      throw new StartRefusal(`GROUPS: ${nameOf(group)} needs ${missing.map(nameOf).join(', ')}.`);
  }
  return modules.filter((module) =>
    declarationOf(module) === undefined ? [...groupsBelow(module)].every(isThere) : isThere(module),
  );
}

function nameOf(group: Type): string {
  return declarationOf(group)!.name;
}
