import type { Followers } from '../followers/followers.js';
import type { RecentRows } from '../journal/recent-rows.js';
import type { CommitListener, Interest } from '../view/commit-listeners.js';
import type { MarketView } from '../view/views.js';
import type { CoreAnswer, CoreRequest } from './requests.js';

/** The core as its own rooms use it. `CoreService` implements it, and says what each of these promises. */
export abstract class SingleWriter {
  abstract readonly leads: boolean;
  abstract readonly followers: Followers;
  abstract readonly recentRows: RecentRows | null;
  abstract submit(request: CoreRequest): Promise<CoreAnswer>;
  abstract market(marketId: string): MarketView | undefined;
  abstract projected(): Promise<void>;
  abstract onCommitted(listener: CommitListener, interest?: Interest): () => void;
}
