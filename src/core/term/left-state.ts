import type { Asset, EventGroup } from '../../domain/engine/state.js';
import type { HeldOrders } from '../state/held-orders.js';
import type { CommittedView } from '../view/committed-view.js';

/** The state of an ended term, as of its last commit. Nobody else uses it any more. */
export interface LeftState extends HeldOrders {
  readonly assets: ReadonlyMap<string, Asset>;
  readonly groups: ReadonlyMap<string, EventGroup>;
  readonly view: CommittedView;
}
