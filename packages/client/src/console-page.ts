import type { TradepostClient } from './client.js';

/** What the console gives to a page that a plugin adds. */
export interface ConsolePageContext {
  /** Calls the service for the user who is logged in, or for nobody. */
  readonly client: TradepostClient;
  /** Null for who is not logged in. */
  readonly username: string | null;
  /** The parts of the address behind the page's own path, such as `['7']`; the page is mounted anew when they change. */
  readonly rest: readonly string[];
  /** Goes to a page of the console: `portfolio`, `plugins/acme-loyalty/points/7`. */
  readonly navigate: (path: string) => void;
  /** Aborted when the page is left: what it has begun ends then. */
  readonly signal: AbortSignal;
}

/**
 * The default export of a page's module: fills an empty element, which stands below the page's heading. The console's
 * styles hold there. The page's policy takes no script, style or image from elsewhere, and none that is inline.
 */
export type MountConsolePage = (element: HTMLElement, context: ConsolePageContext) => void | Promise<void>;
