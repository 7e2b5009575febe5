import { IdPrefix } from '../../domain/ids.js';

export const KYC_CASE_IDS = new IdPrefix('kyc');
export const KYC_IMAGE_IDS = new IdPrefix('kim');
export const PAYOUT_ACCOUNT_IDS = new IdPrefix('pac');
export const PAYOUT_IDS = new IdPrefix('pay');
export const PAYOUT_FILE_IDS = new IdPrefix('pof');
export const PAYOUT_REPORT_IDS = new IdPrefix('por');
export const PAYOUT_REMARK_IDS = new IdPrefix('prm');
