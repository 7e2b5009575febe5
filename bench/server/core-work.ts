import { errorOf } from '../../src/modules/accounts/commands/refusals.js';
import type { CoreService } from '../../src/core/core.service.js';
import type { Command, CommandResult } from '../../src/domain/engine/commands.js';

/** Requests under way at once, so that the next batch gathers while one commits. */
const REQUESTS_UNDER_WAY = 2;

/** Runs `step` for the numbers from 0 to `count`, in chunks, as fast as the core accepts. */
export async function inSteps(
  count: number,
  perStep: number,
  step: (first: number, amount: number) => Promise<unknown>,
): Promise<void> {
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < count) {
      const first = begun;
      const amount = Math.min(perStep, count - first);
      begun += amount;
      await step(first, amount);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_UNDER_WAY }, work));
}

/** Answers when all are durable. Throws the refusal of the first that is refused. */
export async function submitted(core: CoreService, commands: readonly Command[]): Promise<CommandResult[]> {
  const { outcomes } = await core.submit({ commands });
  return outcomes.map((outcome) => {
    if (!outcome.ok) throw errorOf(outcome.refusal);
    return outcome.result;
  });
}
