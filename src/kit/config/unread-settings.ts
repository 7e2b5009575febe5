/** Variables that somebody will have meant for this service, and that nothing of it reads. */
import { CHAIN_RPC_URL } from './settings/chains.js';

/** Shorter names differ by a letter from too many others. */
const NAME_LENGTH_MIN = 8;
const TYPOS_MAX = 2;

export interface ReadNames {
  /** The names of all settings, those of plugins included. */
  readonly settings: readonly string[];
  /** The chains that have a connector. */
  readonly chains: readonly string[];
}

/** A sentence for each of them; none has a value in it. */
export function unreadSettings(env: NodeJS.ProcessEnv, { settings, chains }: ReadNames): string[] {
  const known = new Set(settings);
  return Object.keys(env).flatMap((name) => {
    if (known.has(name) || !env[name]) return [];
    const chain = CHAIN_RPC_URL.exec(name)?.[1]?.toLowerCase();
    if (chain !== undefined)
      return chains.includes(chain)
        ? []
        : [
            `${name} is not used: no connector serves ${chain}. Remove it, or name the plugin that does in PLUGINS.`,
          ];
    const meant = name.length < NAME_LENGTH_MIN ? undefined : settings.find((one) => isTypoOf(name, one));
    return meant === undefined ? [] : [`${name} is not a setting and was not read: did you mean ${meant}?`];
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
