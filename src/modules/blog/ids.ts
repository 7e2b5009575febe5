import { IdPrefix } from '../../domain/ids.js';

export const POST_IDS = new IdPrefix('pst');
export const PAGE_IDS = new IdPrefix('pag');
