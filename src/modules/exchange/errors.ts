import { ErrorCode } from '../../kit/http/error-code.js';

export const QUOTE_NOT_FOUND = new ErrorCode('quote_not_found', 404);
export const MATCHED_BET_NOT_FOUND = new ErrorCode('matched_bet_not_found', 404);
