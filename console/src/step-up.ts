/**
 * What must not be done by a stolen session alone takes a proof that its user is there. Who asks for it waits; a dialog
 * gets the proof, and what was refused is sent again.
 */
import { TradepostError } from '@tradepost/client';
import { Store } from './store.js';

/** What tells who waits whether the proof has come; null while nobody does. */
export const awaitedProof = new Store<((isProved: boolean) => void) | null>(null);

/** Does the work, once more where it took a proof and that came. */
export async function withProof<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isWanted = error instanceof TradepostError && error.code === 'step_up_required';
    if (!isWanted || !(await proof())) throw error;
    return work();
  }
}

function proof(): Promise<boolean> {
  return new Promise((resolve) => {
    awaitedProof.set((isProved) => {
      awaitedProof.set(null);
      resolve(isProved);
    });
  });
}
