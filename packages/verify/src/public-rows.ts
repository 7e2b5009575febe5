/** The public rows of a journal from where they are: a running service, or files of its answers. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const PAGE_ROWS = 200;
const ANSWER_MS = 60_000;
const TRIES = 5;
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
const TOO_MANY = 429;

interface PageOfRows {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/** What a service answers as JSON. Waits as it asks where there were too many requests, and tries again. */
export async function answerOf(service: string, path: string): Promise<unknown> {
  const url = new URL(path, service.endsWith('/') ? service : `${service}/`);
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    if (answer.ok) return answer.json();
    const mayPass = answer.status === TOO_MANY || answer.status >= 500;
    if (!mayPass || attempt === TRIES) throw new Error(`${url.href} answers ${answer.status}`);
    const askedMs = Number(answer.headers.get('retry-after')) * 1_000;
    await delay(Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MS * attempt, Number.isFinite(askedMs) ? askedMs : 0)));
  }
}

/** All rows of a service, up to a height. */
export async function* rowsOfService(service: string, height: number): AsyncGenerator {
  let [taken, cursor] = [0, ''];
  do {
    const page = (await answerOf(service, `journal/public?limit=${PAGE_ROWS}${cursor}`)) as PageOfRows;
    for (const row of page.data) {
      if (taken === height) return;
      taken++;
      yield row;
    }
    cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  } while (cursor !== '');
}

/** Rows of files, each line of which is a row, or a page of rows. */
export async function* rowsOfFiles(files: readonly string[]): AsyncGenerator {
  for (const file of files)
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      if (line.trim() === '') continue;
      const value = JSON.parse(line) as Partial<PageOfRows> | null;
      if (Array.isArray(value?.data)) yield* value.data;
      else yield value;
    }
}
