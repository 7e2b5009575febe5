import { IdPrefix } from '../../domain/ids.js';

export const ACCOUNT_IDS = new IdPrefix('acc');
