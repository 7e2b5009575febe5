import { IdPrefix } from '../../domain/ids.js';

export const WEBHOOK_IDS = new IdPrefix('whk');
export const DELIVERY_IDS = new IdPrefix('whd');
export const EVENT_IDS = new IdPrefix('evt');
