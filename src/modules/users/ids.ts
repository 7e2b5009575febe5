import { IdPrefix } from '../../domain/ids.js';

export const EXPORT_IDS = new IdPrefix('exp');
