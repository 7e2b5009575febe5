/**
 * Splits a feed into its entries before parsing. So a feed of many megabytes is parsed in small parts, only as far as
 * needed, and a malformed entry affects only itself.
 */

/** A feed with its entries taken out, and the entries. */
export interface SplitFeed {
  /** What stands before the first entry. */
  readonly head: string;
  /** What stands between entries and after them. */
  readonly tail: string;
  /** Whole elements, the first ones of the feed. */
  readonly entries: readonly string[];
  /** How many were left out because they are too long. */
  readonly tooLong: number;
  /** How many come after the first ones, and were left out. */
  readonly beyond: number;
}

/** A feed has its newest entries first; entries beyond this number are old. */
export const ENTRIES_MAX = 500;

/** Beyond it an entry is no news. */
export const ENTRY_LENGTH_MAX = 500_000;

/** What hides text that only looks like tags, and the tags of entries, whatever prefix they have. */
const MARK = /<!\[CDATA\[|<!--|<(\/?)(?:[\w.-]{1,50}:)?(?:item|entry)(?=[\s>/])/gi;

/** Takes out up to `entriesMax` entries; the ones after them are left out altogether. */
export function splitFeed(xml: string, entriesMax: number): SplitFeed {
  const entries: string[] = [];
  const between: string[] = [];
  let tooLong = 0;
  let beyond = 0;
  let depth = 0;
  /** Where what is being read began: an entry, or what stands between two. */
  let begun = 0;
  const marks = new RegExp(MARK);
  for (let mark = marks.exec(xml); mark !== null; mark = marks.exec(xml)) {
    const hidden = mark[1] === undefined;
    const end = endOf(xml, mark.index, mark[0]);
    // The rest belongs to an unclosed comment or tag.
    if (end === undefined) break;
    marks.lastIndex = end;
    if (hidden) continue;
    if (mark[1] === '') {
      if (xml.charAt(end - 2) === '/') continue;
      if (depth++ > 0) continue;
      between.push(xml.slice(begun, mark.index));
      begun = mark.index;
    } else if (depth > 0 && --depth === 0) {
      if (end - begun > ENTRY_LENGTH_MAX) tooLong++;
      else if (entries.length < entriesMax) entries.push(xml.slice(begun, end));
      else beyond++;
      begun = end;
    }
  }
  // An entry that was never ended is none.
  const [head = '', ...others] = depth > 0 ? between : [...between, xml.slice(begun)];
  return { head, tail: others.join(''), entries, tooLong, beyond };
}

/** Behind the `>` that ends what a mark begins. */
function endOf(xml: string, start: number, mark: string): number | undefined {
  const ending = mark === '<!--' ? '-->' : mark.startsWith('<!') ? ']]>' : '>';
  const at = xml.indexOf(ending, start + mark.length);
  return at < 0 ? undefined : at + ending.length;
}
