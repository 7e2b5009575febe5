import type { Environment, Setting } from './setting.js';

/** Shorter names differ by a letter from too many others. */
const NAME_LENGTH_MIN = 8;
const TYPOS_MAX = 2;

/** What tells a setting by its name. */
type Named = Pick<Setting<unknown>, 'name' | 'pattern'>;

/** A sentence for each variable that somebody will have meant for a setting, and that is none; none has a value in it. */
export function unreadVariables(environment: Environment, settings: readonly Named[]): string[] {
  const isRead = (variable: string): boolean =>
    settings.some(({ name, pattern }) => name === variable || pattern?.test(variable) === true);
  return Object.keys(environment).flatMap((variable) => {
    if (variable.length < NAME_LENGTH_MIN || !environment[variable] || isRead(variable)) return [];
    const meant = settings.find(({ name }) => isTypoOf(variable, name));
    return meant === undefined
      ? []
      : [`${variable} is not a setting and was not read: did you mean ${meant.name}?`];
  });
}

/** Whether at most so many letters were changed, left out or added. */
function isTypoOf(name: string, setting: string): boolean {
  if (Math.abs(name.length - setting.length) > TYPOS_MAX) return false;
  let row = Array.from({ length: setting.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...name].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...setting].entries())
      next.push(Math.min(row[j]! + Number(letter !== other), row[j + 1]! + 1, next[j]! + 1));
    // No later row has less than the least of this one.
    if (Math.min(...next) > TYPOS_MAX) return false;
    row = next;
  }
  return row.at(-1)! <= TYPOS_MAX;
}
