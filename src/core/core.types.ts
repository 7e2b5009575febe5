/** What the core takes, answers and tells listeners: all types that its callers need. */
export type { AccountRecord } from '../domain/engine/state.js';
export type { CoreAnswer, CoreRequest, IdempotencyKey } from './requests/requests.js';
export type {
  AssetView,
  BalanceView,
  BookView,
  CommittedBatch,
  EventGroupView,
  MarketView,
} from './view/views.js';
export type { CoreStatus } from './sequencer/core-status.js';
