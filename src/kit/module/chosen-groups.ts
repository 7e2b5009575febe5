import type { Type } from '@nestjs/common';
import { StartRefusal } from '../config/start-refusal.js';
import { groupsBelow } from './module-classes.js';
import { declarationOf } from './tradepost-module.js';

export interface GroupsOfService {
  /** In the order in which they are started. */
  readonly groups: readonly Type[];
  /** Those that every service has. */
  readonly always: readonly Type[];
}

/** The groups that `GROUPS` names, all where it names none. Throws a StartRefusal that says what to mend. */
export function chosenGroups(
  { groups, always }: GroupsOfService,
  names: readonly string[] | undefined,
): readonly Type[] {
  if (names === undefined) return groups;
  const unknown = names.find((name) => !groups.some((group) => nameOf(group) === name));
  if (unknown !== undefined) {
    const choices = groups.filter((group) => !always.includes(group)).map(nameOf);
    throw new StartRefusal(`GROUPS: there is no group "${unknown}"; there are ${choices.join(', ')}.`);
  }
  const chosen = groups.filter((group) => always.includes(group) || names.includes(nameOf(group)));
  for (const group of chosen) {
    const below = groupsBelow(group);
    const missing = groups.filter((other) => below.has(other) && !chosen.includes(other));
    if (missing.length > 0)
      throw new StartRefusal(`GROUPS: ${nameOf(group)} needs ${missing.map(nameOf).join(', ')}.`);
  }
  return chosen;
}

function nameOf(group: Type): string {
  return declarationOf(group)!.name;
}
