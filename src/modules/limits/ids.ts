import { IdPrefix } from '../../domain/ids.js';

export const SELF_LIMIT_IDS = new IdPrefix('lim');
