import { IdPrefix } from '../../domain/ids.js';

export const NEWS_ITEM_IDS = new IdPrefix('nws');
export const NEWS_FEED_IDS = new IdPrefix('nfd');
