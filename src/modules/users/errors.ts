import { ErrorCode } from '../../kit/http/error-code.js';

export const INVALID_CREDENTIALS = new ErrorCode('invalid_credentials', 401);
export const USER_LOCKED = new ErrorCode('user_locked', 403);
export const REAUTHENTICATION_REQUIRED = new ErrorCode('reauthentication_required', 403);
export const USERNAME_TAKEN = new ErrorCode('username_taken', 409);
export const ACCOUNT_NOT_EMPTY = new ErrorCode('account_not_empty', 409);
export const PAYMENT_HELD = new ErrorCode('payment_held', 409);
export const KYC_REQUIRED = new ErrorCode('kyc_required', 422);
