import { PathParam } from '../../../kit/http/path-param.js';

/** The account that a path names. */
export const AccountId = (): ParameterDecorator =>
  PathParam('account_id', { description: "One of the caller's accounts, or `me`.", example: 'me' });
