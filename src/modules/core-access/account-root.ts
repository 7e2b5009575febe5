import type { CoreService } from '../../core/core.service.js';

/** What a further account of an owner says of who made the owner: the same as the accounts before it. */
export async function rootOf(core: CoreService, owner: string): Promise<{ readonly root?: string }> {
  const [first] = await core.accountsOf(owner);
  return first === undefined || first.root === null ? {} : { root: first.root };
}
