import { ErrorCode } from '../../kit/http/error-code.js';

export const DESTINATION_NOT_FOUND = new ErrorCode('destination_not_found', 404);
export const DUPLICATE_CLIENT_TRANSFER_ID = new ErrorCode('duplicate_client_transfer_id', 409);
export const TRANSFER_NOT_PENDING = new ErrorCode('transfer_not_pending', 409);
export const INVALID_ADDRESS = new ErrorCode('invalid_address', 422);
export const CHAIN_UNAVAILABLE = new ErrorCode('chain_unavailable', 503);
export const CHAIN_NOT_CONNECTED = new ErrorCode('chain_not_connected', 409);
export const ADDRESS_HOLDS_FUNDS = new ErrorCode('address_holds_funds', 422);
export const SIGNING_DENIED = new ErrorCode('signing_denied', 422);
