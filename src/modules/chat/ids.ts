import { IdPrefix } from '../../domain/ids.js';

export const ROOM_IDS = new IdPrefix('rom');
export const MESSAGE_IDS = new IdPrefix('msg');
