import { ErrorCode } from '../../kit/http/error-code.js';

export const HOLDER_NAME_MISMATCH = new ErrorCode('holder_name_mismatch', 422);
