import { IdPrefix } from '../../../domain/ids.js';

export const ORDER_IDS = new IdPrefix('ord');
export const ORDER_LIST_IDS = new IdPrefix('olt');
export const TRADE_IDS = new IdPrefix('trd');
export const FILL_IDS = new IdPrefix('fil');
export const ENTRY_IDS = new IdPrefix('ent');
