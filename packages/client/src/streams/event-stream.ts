import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { addressOf, invalidAnswer, type Transport } from '../transport.js';

/** Three heartbeats of the service. */
const SILENCE_MS_MAX = 45_000;
/** Beyond any event; what sends more without an end is no service of ours. */
const EVENT_CHARACTERS_MAX = 16 * 1_024 * 1_024;

export interface EventStreamOptions {
  /** As the document has it, for errors. */
  readonly path: string;
  /** With its parameters filled in. */
  readonly address: string;
  readonly lastEventId: string | undefined;
  readonly silenceMsMax?: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Once the service has begun to answer. */
  readonly onOpen?: (() => void) | undefined;
}

/** The connection ended, was cut, or was silent for too long. */
export class StreamEnded extends Error {}

/** The server-sent events of one connection; ends by throwing. An event that was cut off is left out. */
export async function* readEventStream(
  transport: Transport,
  { path, address, lastEventId, silenceMsMax = SILENCE_MS_MAX, signal, onOpen }: EventStreamOptions,
): AsyncGenerator<EventSourceMessage, never, undefined> {
  const connection = new AbortController();
  const abort = (): void => connection.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const { response } = await transport.send({
      method: 'GET',
      path,
      url: addressOf(transport.url, address),
      headers: new Headers({
        Accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      }),
      answer: 'stream',
      // Whoever reads the stream waits before the next connection: retries in between would come in bursts.
      options: { signal: connection.signal, retry: false },
    });
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream') === true;
    if (!isStream || response.body === null) throw invalidAnswer(`GET ${path}`);
    onOpen?.();
    let events: EventSourceMessage[] = [];
    const flood = { isThere: false };
    const parser = createParser({
      onEvent: (event) => events.push(event),
      onError: ({ type }) => (flood.isThere ||= type === 'max-buffer-size-exceeded'),
      maxBufferSize: EVENT_CHARACTERS_MAX,
    });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const chunk = await withinSilence(reader.read(), silenceMsMax);
      if (chunk.done) throw new StreamEnded('The service ended the stream.');
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      if (flood.isThere) throw invalidAnswer(`GET ${path}`);
      const complete = events;
      events = [];
      yield* complete;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    connection.abort();
  }
}

async function withinSilence<T>(reading: Promise<T>, silenceMsMax: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StreamEnded('Not even a heartbeat came.')), silenceMsMax);
  });
  try {
    return await Promise.race([reading, silent]);
  } catch (error) {
    throw error instanceof StreamEnded ? error : new StreamEnded('The connection failed.');
  } finally {
    clearTimeout(timer);
  }
}
