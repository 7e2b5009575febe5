import { IdPrefix } from '../../domain/ids.js';

export const AUDIT_ENTRY_IDS = new IdPrefix('aud');
