import { TradepostError } from '@tradepost/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { PasskeyFailure } from './passkeys.js';
import { noteFailure } from './session.js';
import { words } from './words/index.js';
import { language } from './words/language.js';
import { wordFor } from './words/word-for.js';
import { Store, useStore } from './store.js';

export type Connection = 'live' | 'behind' | 'reconnecting';

/** The streams that are open, and whether events come. */
const streams = new Store<ReadonlyMap<string, Connection>>(new Map());

function setStream(name: string, state: Connection | undefined): void {
  const next = new Map(streams.value);
  if (state === undefined) next.delete(name);
  else next.set(name, state);
  streams.set(next);
}

/** The worst of all streams; undefined while none is open. */
export function useConnection(): Connection | undefined {
  const states = new Set(useStore(streams).values());
  return (['reconnecting', 'behind', 'live'] as const).find((state) => states.has(state));
}

/** After a stream has tried in vain for a minute; twice as long each time, since each begins with short waits again. */
const AGAIN_MS = 5_000;
const AGAIN_MS_MAX = 300_000;

export interface Following {
  readonly signal: AbortSignal;
  readonly onConnection: (isLive: boolean) => void;
}

/**
 * Follows a stream as long as the component is there, and starts over when `key` changes. What comes is taken at once;
 * the component is rendered once for all that came within a frame.
 */
export function useStream<Event>(
  name: string,
  key: string | null,
  open: (following: Following) => AsyncIterable<Event>,
  take: (event: Event) => Connection | undefined,
): void {
  const renderSoon = useFrame();
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    let rounds = 0;
    const onConnection = (isLive: boolean): void => setStream(name, isLive ? 'live' : 'reconnecting');
    const follow = async (): Promise<void> => {
      try {
        for await (const event of open({ signal: stop.signal, onConnection })) {
          rounds = 0;
          const state = take(event);
          if (state !== undefined) setStream(name, state);
          renderSoon();
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        noteFailure(error);
        if (isForGood(error)) setStream(name, undefined);
        else again = setTimeout(() => void follow(), Math.min(AGAIN_MS * 2 ** rounds++, AGAIN_MS_MAX));
      }
    };
    setStream(name, 'reconnecting');
    void follow();
    return () => {
      stop.abort();
      clearTimeout(again);
      setStream(name, undefined);
    };
  }, [name, key]);
}

/** Whether the service has refused the stream; otherwise it could not be reached, however often that was tried. */
function isForGood(error: unknown): boolean {
  if (!(error instanceof TradepostError)) return true;
  return !['connection_failed', 'timeout', 'stream_out_of_sync', 'temporarily_unavailable'].includes(
    error.code,
  );
}

/** Renders the component with the next frame, however often it is asked. */
function useFrame(): () => void {
  const [, render] = useState({});
  const frame = useRef<number | undefined>(undefined);
  useEffect(() => () => cancelAnimationFrame(frame.current ?? 0), []);
  return () => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = undefined;
      render({});
    });
  };
}

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: string | undefined;
  readonly reload: () => void;
}

/** What a call answers; called again when `key` changes or `reload` is. Without a key nothing is called. */
export function useLoaded<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ value?: T; failure?: string }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (key === null) {
      setState({});
      return;
    }
    const stop = new AbortController();
    load(stop.signal).then(
      (value) => setState({ value }),
      (error: unknown) => {
        if (!stop.signal.aborted) setState({ failure: wordsOf(error) });
      },
    );
    return () => stop.abort();
  }, [key, round]);
  return { value: state.value, failure: state.failure, reload: () => setRound((each) => each + 1) };
}

/** Between two looks at what changes by itself and has no stream. */
const LOOK_AGAIN_MS = 4_000;

/** Looks again and again while it is worth it, such as until a transfer has ended. */
export function useLooks(isWorthIt: boolean, { reload }: Pick<Loaded<unknown>, 'reload'>): void {
  useEffect(() => {
    if (!isWorthIt) return;
    const looks = setInterval(() => {
      if (!document.hidden) reload();
    }, LOOK_AGAIN_MS);
    return () => clearInterval(looks);
  }, [isWorthIt]);
}

/** A list that is read a page at a time. */
export interface Paged<Row> {
  /** Undefined until the first page is there. */
  readonly rows: readonly Row[] | undefined;
  readonly failure: string | undefined;
  readonly isBusy: boolean;
  /** Reads the next page; undefined where there is none. */
  readonly more: (() => void) | undefined;
  /** Begins again with the first page. */
  readonly reload: () => void;
}

export interface PageOf<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** Where a list goes on, as its query has it. */
export function after(cursor: string | undefined): { readonly cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}

/** Begins anew when `key` changes. Without a key nothing is called. */
export function usePaged<Row>(
  key: string | null,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>,
): Paged<Row> {
  const [further, setFurther] = useState<readonly PageOf<Row>[]>([]);
  const [state, setState] = useState<{ isBusy: boolean; failure?: string }>({ isBusy: false });
  const stop = useRef(new AbortController());
  const first = useLoaded(key, (signal) => load(undefined, signal));
  useEffect(() => {
    stop.current = new AbortController();
    setFurther([]);
    setState({ isBusy: false });
    return () => stop.current.abort();
  }, [first.value]);
  const pages = first.value === undefined ? [] : [first.value, ...further];
  const cursor = pages.at(-1)?.next_cursor ?? null;
  const more = async (): Promise<void> => {
    if (state.isBusy || cursor === null) return;
    const { signal } = stop.current;
    setState({ isBusy: true });
    try {
      const page = await load(cursor, signal);
      if (signal.aborted) return;
      setFurther((known) => [...known, page]);
      setState({ isBusy: false });
    } catch (error) {
      if (!signal.aborted) setState({ isBusy: false, failure: wordsOf(error) });
    }
  };
  return {
    rows: first.value === undefined ? undefined : pages.flatMap(({ data }) => data),
    failure: first.failure ?? state.failure,
    isBusy: state.isBusy,
    more: cursor === null ? undefined : () => void more(),
    reload: first.reload,
  };
}

/** What to tell a person about a failure, which also ends the session where the credential no longer counts. */
export function wordsOf(error: unknown): string {
  noteFailure(error);
  if (error instanceof PasskeyFailure) return error.message;
  if (!(error instanceof TradepostError)) return String(error);
  return language === 'en'
    ? error.reason
    : wordFor({ [error.code]: error.reason, ...words.errors }, error.code);
}
