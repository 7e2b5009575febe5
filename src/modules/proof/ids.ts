import { IdPrefix } from '../../domain/ids.js';

export const CUT_IDS = new IdPrefix('cut');
