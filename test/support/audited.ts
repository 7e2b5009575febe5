import { auditedRequest } from '../../src/kit/audit/audit-context.js';

/** Runs audited work as an audited route's request would. */
export function inRequest<T>(work: () => T): T {
  const actor = { person: null, credential: null, address: '127.0.0.1' };
  return auditedRequest.run({ actor, action: 'testAct', requestId: 'test', recorded: 0 }, work);
}
