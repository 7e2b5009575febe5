import { words } from '../../words/index.js';

const KINDS: Readonly<Record<string, string>> = words.desk.inbox.kinds;

/** The words for a kind of approvals; its name for one of a plugin, which has none here. */
export function kindWords(kind: string): string {
  return KINDS[kind] ?? kind;
}
