/** Sections of exports out of the lists of the API: so they have its shapes, its order and its limits. */
import { type Page, PAGE_LIMIT_MAX } from '../http/pagination.js';

/** The part of a list's query that all lists have. */
export interface PageToRead {
  readonly limit: number;
  readonly cursor?: string;
}

/** All items of a list, with one page in memory. */
export async function* everyItem<Item>(
  read: (page: PageToRead) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await read({ limit: PAGE_LIMIT_MAX, ...(cursor !== null && { cursor }) });
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** The lists of several things, such as accounts, one after the other: each row begins with the id of its thing. */
export async function* everyItemOf<const Name extends string, Item extends object>(
  name: Name,
  ids: Iterable<string> | AsyncIterable<string>,
  read: (id: string, page: PageToRead) => Promise<Page<Item>>,
): AsyncGenerator<Record<Name, string> & Item> {
  for await (const id of ids) {
    for await (const item of everyItem((page) => read(id, page))) {
      yield { [name]: id, ...item } as Record<Name, string> & Item;
    }
  }
}
