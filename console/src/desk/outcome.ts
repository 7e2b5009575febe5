import { words } from '../words/index.js';

/** Whether an answer is not the thing itself but a proposal of it, which waits in the inbox. */
export function isProposal(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'approval_id' in answer;
}

export function outcomeOf(answer: unknown, done: string): string {
  return isProposal(answer) ? words.desk.proposed : done;
}
