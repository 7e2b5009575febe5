import { IdPrefix } from '../../domain/ids.js';

export const APPROVAL_IDS = new IdPrefix('apv');
