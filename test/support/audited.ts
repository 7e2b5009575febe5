import { auditedRequest } from '../../src/platform/audit/audit-context.js';

/** Runs what records acts as the request of an audited route would. */
export function inRequest<T>(work: () => T): T {
  const actor = { person: null, credential: null, address: '127.0.0.1' };
  return auditedRequest.run({ actor, action: 'Test_act', requestId: 'test', recorded: 0 }, work);
}
