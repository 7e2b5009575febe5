import { ErrorCode } from '../../kit/http/error-code.js';

/** Petstore's own documents specify 405 for an invalid form update of a pet. */
export const INVALID_INPUT = new ErrorCode('invalid_input', 405);
