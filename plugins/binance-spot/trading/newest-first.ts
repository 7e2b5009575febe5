import type { Page, PageSelection } from '../../../src/index.js';

const PAGE = 200;
/** More orders than an account may have open. */
export const ALL_OPEN_PAGES = 1_000;
/** How far back lists that begin at an id or a time look. */
export const HISTORY_PAGES = 25;

/** Reads pages until there is enough, an item is too old, or so many pages are read. */
export async function newestFirst<Item>(
  read: (page: PageSelection) => Promise<Page<Item>>,
  isEnough: (found: readonly Item[]) => boolean,
  isTooOld: (item: Item) => boolean,
  pagesMax: number,
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await read({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const item of page.data) {
      if (isTooOld(item)) return found;
      found.push(item);
    }
    if (page.next_cursor === null || isEnough(found)) return found;
    cursor = page.next_cursor;
  }
  return found;
}
