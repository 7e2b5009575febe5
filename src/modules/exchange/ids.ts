import { IdPrefix } from '../../domain/ids.js';

export const QUOTE_IDS = new IdPrefix('qte');
export const MATCHED_BET_IDS = new IdPrefix('mbt');
