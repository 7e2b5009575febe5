import { ErrorCode } from '../../kit/http/error-code.js';

export const RISK_REFUSED = new ErrorCode('risk_refused', 422);
export const ORDER_LIST_NOT_FOUND = new ErrorCode('order_list_not_found', 404);
