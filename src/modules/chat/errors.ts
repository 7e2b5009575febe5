import { ErrorCode } from '../../kit/http/error-code.js';

export const MEMBER_BANNED = new ErrorCode('member_banned', 403);
