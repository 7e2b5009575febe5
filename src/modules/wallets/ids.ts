import { IdPrefix } from '../../domain/ids.js';

export const WALLET_IDS = new IdPrefix('wlt');
export const TRANSFER_IDS = new IdPrefix('trf');
export const DESTINATION_IDS = new IdPrefix('dst');
export const ADDRESS_IDS = new IdPrefix('adr');
export const SIGNATURE_IDS = new IdPrefix('sig');
export const DEPOSIT_IDS = new IdPrefix('dep');
